// Metropolis within Gibbs, some lanes of a warp for a voxel: chain.rs says what is computed. Operation by operation the same:
// change both or none. A lane holds every LANES-th measurement of its voxel and the values that are kept of it; what a
// voxel has once, each of its lanes has.
#pragma once
#include "begin.cuh"
#include "philox.cuh"
#include "warp.cuh"

// Moves at most, that of the noise among them.
#define MOST_MOVES 16

// What chains have in common. Bits of masks are moves: those whose prior is not uniform, those whose prior is of a number in
// units of the signal, and those that nothing is to move. Of each move what it must keep to: bounds, and the terms of its prior.
struct SamplePlan {
  u64 seed, informed, of_signal;
  u32 voxels, measurements, chain, first_sweep, burn_in, jumps, interval, window;
  u32 adapts_throughout, likelihood, samples_noise, resting;
  float low[MOST_MOVES], high[MOST_MOVES];
  float log[MOST_MOVES], linear[MOST_MOVES], square[MOST_MOVES], middle[MOST_MOVES];
};

// As in plan.rs and chain.rs.
#define LIKELIHOOD_INTEGRATED 0u
#define LIKELIHOOD_GAUSSIAN 1u
#define PARTS 32
#define LEAST_RESIDUAL 1e-6
#define WIDEST 1e10f
#define PURPOSE_SAMPLING 5u
// Sweeps whose draws are made at once, each by a lane.
#define SWEEPS 4

#define MOVED_NUMBER 0
#define MOVED_ORIENTATION 1

// ln of exp(-x) I0(x) for x >= 0.
__device__ __forceinline__ float ln_scaled_bessel(float x)
{
  const float smaller = x < 3.75f ? x : 3.75f;
  float y = smaller * float(1.0 / 3.75);
  y = y * y;
  float small = 0.0045813f;
  small = multiply_add(small, y, 0.0360768f);
  small = multiply_add(small, y, 0.2659732f);
  small = multiply_add(small, y, 1.2067492f);
  small = multiply_add(small, y, 3.0899424f);
  small = multiply_add(small, y, 3.5156229f);
  small = multiply_add(small, y, 1.0f);
  const float larger = x > 3.75f ? x : 3.75f;
  const float t = 3.75f / larger;
  float large = 0.00392377f;
  large = multiply_add(large, t, -0.01647633f);
  large = multiply_add(large, t, 0.02635537f);
  large = multiply_add(large, t, -0.02057706f);
  large = multiply_add(large, t, 0.00916281f);
  large = multiply_add(large, t, -0.00157565f);
  large = multiply_add(large, t, 0.00225319f);
  large = multiply_add(large, t, 0.01328592f);
  large = multiply_add(large, t, 0.39894228f);
  const float square = large * large * (t * float(1.0 / 3.75));
  const float logarithm_of = logarithm(x > 3.75f ? square : small);
  return x > 3.75f ? logarithm_of * 0.5f : logarithm_of - x;
}

__device__ __forceinline__ float prior_energy(const SamplePlan& plan, u32 which, float x)
{
  const float beside = x - plan.middle[which], log = plan.log[which];
  const float rest = multiply_add(beside * plan.square[which], beside, x * plan.linear[which]);
  return log == 0.0f ? rest : multiply_add(log, logarithm(x), rest);
}

__device__ __forceinline__ float half_precision(float sigma) { return 0.5f / (sigma * sigma); }

// What the lanes of a voxel share: draws of some sweeps, and of each move the width, how many proposals were accepted behind the
// burn-in, and how many of those since widths were changed came before it.
template <int MOVES> struct SharedOfVoxel {
  float4 draws[SWEEPS][MOVES];
  float widths[MOVES];
  u32 totals[MOVES], before[MOVES];
};

// What each thread has beside its registers, in fours, those of neighbouring threads side by side: weights of its measurements,
// and what was kept before a move that changes several values of a measurement. In registers these would cost warps.
template <class S, int ROUNDS> struct BesideRegisters {
  static const int WEIGHTS = (ROUNDS + 3) / 4, ASIDE = S::MOST_CHANGED > 1 ? (S::MOST_CHANGED * ROUNDS + 3) / 4 : 0;
  static const int FOURS = WEIGHTS + ASIDE;
};

// S: the model's chain. ROUNDS: measurements of a lane.
template <class S, int LANES, int ROUNDS, bool RICIAN> struct Chain {
  static const int N = S::NUMBERS, MOVES = S::MOVES + 1, KEPT = S::KEPT ? S::KEPT : 1;
  static const int HELD = S::KEPT_OF_VOXEL ? S::KEPT_OF_VOXEL : 1, STRIDE = (S::COLUMNS + 3) / 4 * 4;
  static const int PARTIAL = PARTS / LANES;
  typedef SharedOfVoxel<MOVES> Shared;
  typedef BesideRegisters<S, ROUNDS> Beside;

  const SamplePlan& plan;
  const float4* const table;
  const float* const uniforms;
  Shared& shared;
  float4* const beside;
  const u32 lane;
  // Sigma last.
  float numbers[N + 1], maps[S::MAPS ? S::MAPS : 1];
  // Of measurements that are not to be used the signal is 0, and so is the weight of what is predicted.
  float signals[ROUNDS], kept[KEPT][ROUNDS], held[HELD];
  float cost, usable, inverse_half, inverse_factor, least, of_sigma;
  // Of every LANES-th move, which are this lane's.
  u32 accepted[(MOVES + LANES - 1) / LANES];
  // Of the sweep.
  const float4* draws;

  __device__ __forceinline__ Chain(const SamplePlan& plan, const float4* table, const float* uniforms, Shared& shared,
                                   float4* beside, u32 lane)
      : plan(plan), table(table), uniforms(uniforms), shared(shared), beside(beside), lane(lane)
  {
  }

  __device__ __forceinline__ void count(u32 which, bool taken)
  {
    accepted[which / LANES] += taken & (lane == which % LANES) ? 1u : 0u;
  }

  // Puts the values that a move changes aside, or takes those back that were there.
  template <class M> __device__ __forceinline__ void put_aside()
  {
#pragma unroll
    for (int four = 0; four < (int(M::CHANGED) * ROUNDS + 3) / 4; ++four) {
      float values[4];
#pragma unroll
      for (int n = 0; n < 4; ++n) {
        const int place = 4 * four + n;
        values[n] = place < int(M::CHANGED) * ROUNDS ? kept[M::changed(place / ROUNDS)][place % ROUNDS] : 0.0f;
      }
      beside[(Beside::WEIGHTS + four) * blockDim.x] = make_float4(values[0], values[1], values[2], values[3]);
    }
  }

  template <class M> __device__ __forceinline__ void take_back()
  {
#pragma unroll
    for (int four = 0; four < (int(M::CHANGED) * ROUNDS + 3) / 4; ++four) {
      const float4 read = beside[(Beside::WEIGHTS + four) * blockDim.x];
      const float values[4] = {read.x, read.y, read.z, read.w};
#pragma unroll
      for (int n = 0; n < 4; ++n) {
        const int place = 4 * four + n;
        if (place < int(M::CHANGED) * ROUNDS) kept[M::changed(place / ROUNDS)][place % ROUNDS] = values[n];
      }
    }
  }

  // The sum over all lanes of a voxel, in each of them.
  __device__ __forceinline__ float total(float (&sums)[PARTIAL]) const
  {
#pragma unroll
    for (int half = PARTIAL / 2; half > 0; half /= 2) {
#pragma unroll
      for (int n = 0; n < half; ++n) sums[n] = sums[n] + sums[n + half];
    }
    float sum = sums[0];
#pragma unroll
    for (int distance = LANES / 2; distance > 0; distance /= 2) sum = sum + __shfl_xor_sync(ALL, sum, distance);
    // A sum of squares is not 0.
    if (!RICIAN && plan.likelihood == LIKELIHOOD_INTEGRATED) return least > sum ? least : sum;
    return sum;
  }

  __device__ __forceinline__ void measure(const float* measured, float factor)
  {
    float smallest = endless<float>(), weights[ROUNDS];
#pragma unroll
    for (int k = 0; k < ROUNDS; ++k) {
      const u32 m = k * LANES + lane;
      signals[k] = weights[k] = 0.0f;
      if (m >= plan.measurements) continue;
      const float signal = measured[m] * factor;
      if (is_usable(signal)) {
        signals[k] = signal;
        weights[k] = 1.0f;
      }
      if (signal > 0.0f) smallest = smaller_of(signal, smallest);
    }
    if (RICIAN) {
#pragma unroll
      for (int distance = LANES / 2; distance > 0; distance /= 2) {
        smallest = smaller_of(__shfl_xor_sync(ALL, smallest, distance), smallest);
      }
#pragma unroll
      for (int k = 0; k < ROUNDS; ++k) signals[k] = signals[k] <= 0.0f ? smallest * weights[k] : signals[k];
    }
#pragma unroll
    for (int four = 0; four < int(Beside::WEIGHTS); ++four) {
      float values[4];
#pragma unroll
      for (int n = 0; n < 4; ++n) values[n] = 4 * four + n < ROUNDS ? weights[4 * four + n] : 0.0f;
      beside[four * blockDim.x] = make_float4(values[0], values[1], values[2], values[3]);
    }
  }

  // The cost of a trial, and in `tried` the values that a move changes; where they are several, they are kept at once.
  template <class M>
  __device__ __forceinline__ float evaluate(const float (&trial)[N + 1], float (&tried)[ROUNDS], float (&after)[HELD])
  {
    float values[M::VALUES], sums[PARTIAL];
    M::voxel(uniforms, trial, maps, held, values, after);
    const float weight = RICIAN ? M::MOVES_NOISE ? half_precision(trial[N]) : of_sigma : 0.0f;
    const float precision = weight + weight;
#pragma unroll
    for (int n = 0; n < PARTIAL; ++n) sums[n] = 0.0f;
    float4 weights = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll
    for (int k = 0; k < ROUNDS; ++k) {
      if (k % 4 == 0) weights = beside[k / 4 * blockDim.x];
      const float is_used = k % 4 == 0 ? weights.x : k % 4 == 1 ? weights.y : k % 4 == 2 ? weights.z : weights.w;
      float columns[STRIDE ? STRIDE : 1], of_measurement[KEPT], changed[M::CHANGED ? M::CHANGED : 1];
#pragma unroll
      for (int n = 0; n < STRIDE / 4; ++n) {
        const float4 four = table[(k * LANES + lane) * (STRIDE / 4) + n];
        columns[4 * n] = four.x;
        columns[4 * n + 1] = four.y;
        columns[4 * n + 2] = four.z;
        columns[4 * n + 3] = four.w;
      }
#pragma unroll
      for (int n = 0; n < KEPT; ++n) of_measurement[n] = kept[n][k];
      const float predicted = M::inner(uniforms, columns, values, of_measurement, changed);
#pragma unroll
      for (int n = 0; n < int(M::CHANGED); ++n) {
        if (M::CHANGED > 1) kept[M::changed(n)][k] = changed[n];
        else tried[k] = changed[n];
      }
      const float difference = multiply_add(-predicted, is_used, signals[k]);
      float& sum = sums[k % PARTIAL];
      if (RICIAN) {
        const float product = size(precision * signals[k] * predicted);
        sum = sum + multiply_add(weight * difference, difference, -ln_scaled_bessel(product));
      } else {
        sum = multiply_add(difference, difference, sum);
      }
    }
    return total(sums);
  }

  // Every value that is kept, and the cost of the numbers that there are.
  __device__ __forceinline__ void evaluate_all()
  {
    float tried[ROUNDS], after[HELD];
#pragma unroll
    for (int n = 0; n < KEPT; ++n) {
#pragma unroll
      for (int k = 0; k < ROUNDS; ++k) kept[n][k] = 0.0f;
    }
#pragma unroll
    for (int n = 0; n < HELD; ++n) held[n] = after[n] = 0.0f;
    cost = evaluate<typename S::All>(numbers, tried, after);
    if (S::KEPT == 1) {
#pragma unroll
      for (int k = 0; k < ROUNDS; ++k) kept[0][k] = tried[k];
    }
#pragma unroll
    for (int n = 0; n < HELD; ++n) held[n] = after[n];
  }

  // The draws of SWEEPS sweeps from one on.
  __device__ __forceinline__ void draw(u32 first, u32 moves, u64 item)
  {
    __syncwarp();
    const u32 moving = moves - __popc(plan.resting);
    for (u32 n = lane; n < SWEEPS * moves; n += LANES) {
      const u32 sweep = n / moves, which = n - sweep * moves;
      if (plan.resting >> which & 1) continue;
      // Those that rest are not counted.
      const u32 place = which - __popc(plan.resting & ((1u << which) - 1u));
      const u64 block = static_cast<u64>(first + sweep) * moving + place;
      Random random = Random(plan.seed, PURPOSE_SAMPLING, item).at(4 * block);
      const float scale = float(1.0 / 4294967296.0), middle = float(0.5 / 4294967296.0);
      const u32 of_radius = random.bits(), of_height = random.bits(), of_turn = random.bits();
      const float radius = root(larger_of(-2.0f * logarithm(multiply_add(float(of_radius), scale, middle)), 0.0f));
      const float height = multiply_add(float(of_height), 2.0f * scale, -1.0f);
      const float across = root(larger_of(multiply_add(-height, height, 1.0f), 0.0f));
      float sin_of, cos_of;
      sin_cos_of_turns(float(of_turn) * scale, &sin_of, &cos_of);
      // By how much the energy may rise; where sigma is integrated out, what the sum of squares may be multiplied with.
      float room = -logarithm(multiply_add(float(random.bits()), scale, middle));
      if (!RICIAN && plan.likelihood == LIKELIHOOD_INTEGRATED) room = exponential(room * inverse_half);
      // Of a number a normal step, of an orientation one in any direction of space.
      const bool turns = S::turns(which);
      const float around = turns ? radius * across : radius;
      shared.draws[sweep][which] = make_float4(around * cos_of, around * sin_of, radius * height, room);
    }
    __syncwarp();
  }

  // By how much the prior of a number falls.
  __device__ __forceinline__ float prior_falls(u32 which, float before, float after) const
  {
    if (!(plan.informed >> which & 1)) return 0.0f;
    const float unit = plan.of_signal >> which & 1 ? inverse_factor : 1.0f;
    const float allowed = larger_of(after, plan.low[which]);
    return prior_energy(plan, which, before * unit) - prior_energy(plan, which, allowed * unit);
  }

  __device__ __forceinline__ bool is_within(u32 which, float number) const
  {
    // Without a branch.
    return (number > plan.low[which]) & (plan.high[which] > number);
  }

  // Whether a trial is to be taken.
  __device__ __forceinline__ bool is_taken(u32 which, float of_trial, float room, float falls) const
  {
    if (!RICIAN && plan.likelihood == LIKELIHOOD_INTEGRATED) {
      const float most = cost * room;
      return (plan.informed >> which & 1 ? most * exponential(falls * inverse_half) : most) > of_trial;
    }
    if (RICIAN) return cost + (room + falls) > of_trial;
    return multiply_add(cost, of_sigma, room + falls) > of_trial * of_sigma;
  }

  // Proposes a move, and takes it or not.
  template <class M> __device__ __forceinline__ void step(int which)
  {
    if (plan.resting >> which & 1) return;
    const float4 drawn = draws[which];
    const float width = shared.widths[which];
    float trial[N + 1];
#pragma unroll
    for (int n = 0; n <= N; ++n) trial[n] = numbers[n];
    bool allowed = true;
    float falls = 0.0f;
    if (M::KIND == MOVED_ORIENTATION) {
      turn<M::FIRST>(trial, width, drawn);
    } else {
      const float number = multiply_add(width, drawn.x, numbers[M::FIRST]);
      allowed = is_within(which, number);
      trial[M::FIRST] = number;
      falls = prior_falls(which, numbers[M::FIRST], number);
      if (M::IS_CONSTRAINED) allowed = allowed && S::meets(trial);
    }
    if (M::CHANGED > 1) put_aside<M>();
    float tried[ROUNDS], after[HELD];
    const float of_trial = evaluate<M>(trial, tried, after);
    const bool taken = is_taken(which, of_trial, drawn.w, falls) && allowed;
    cost = taken ? of_trial : cost;
    count(which, taken);
#pragma unroll
    for (int n = M::FIRST; n < M::FIRST + (M::KIND == MOVED_ORIENTATION ? 3 : 1); ++n) {
      numbers[n] = taken ? trial[n] : numbers[n];
    }
#pragma unroll
    for (int n = 0; n < int(S::KEPT_OF_VOXEL); ++n) {
      if (M::changes_of_voxel(n)) held[n] = taken ? after[n] : held[n];
    }
    if (M::CHANGED == 1) {
#pragma unroll
      for (int k = 0; k < ROUNDS; ++k) kept[M::changed(0)][k] = taken ? tried[k] : kept[M::changed(0)][k];
    }
    if (M::CHANGED > 1) {
      if (!taken) take_back<M>();
    }
  }

  // Turns an orientation by a vector in a direction that is as likely as any other.
  template <int FIRST> __device__ __forceinline__ void turn(float (&trial)[N + 1], float width, float4 drawn) const
  {
    const float x = multiply_add(width, drawn.x, numbers[FIRST]);
    const float y = multiply_add(width, drawn.y, numbers[FIRST + 1]);
    const float z = multiply_add(width, drawn.z, numbers[FIRST + 2]);
    const float inverse = inverse_root(multiply_add(z, z, multiply_add(y, y, x * x)));
    trial[FIRST] = x * inverse;
    trial[FIRST + 1] = y * inverse;
    trial[FIRST + 2] = z * inverse;
  }

  // Moves sigma.
  __device__ __forceinline__ void step_noise()
  {
    const int which = S::MOVES;
    const float4 drawn = draws[which];
    const float before = numbers[N];
    float trial[N + 1];
#pragma unroll
    for (int n = 0; n <= N; ++n) trial[n] = numbers[n];
    trial[N] = multiply_add(shared.widths[which], drawn.x, before);
    const bool allowed = is_within(which, trial[N]);
    const float room = drawn.w + prior_falls(which, before, trial[N]);
    float tried[ROUNDS], after[HELD], of_trial = cost;
    bool taken;
    if (RICIAN) {
      of_trial = evaluate<typename S::None>(trial, tried, after);
      const float twice = usable + usable;
      const float left = multiply_add(twice, logarithm(trial[N]), of_trial);
      taken = multiply_add(twice, logarithm(before), cost) + room > left;
    } else {
      const float left = multiply_add(usable, logarithm(trial[N]), cost * half_precision(trial[N]));
      taken = multiply_add(usable, logarithm(before), cost * of_sigma) + room > left;
    }
    taken = taken && allowed;
    cost = taken ? of_trial : cost;
    numbers[N] = taken ? trial[N] : before;
    of_sigma = half_precision(numbers[N]);
    count(which, taken);
  }

  // Of each move a lane: behind the last sweep of a window widths change, and counting begins anew.
  __device__ __forceinline__ void adapt(u32 moves, bool changes, bool counts)
  {
    __syncwarp();
#pragma unroll
    for (int n = 0; n < MOVES; ++n) {
      if (n % LANES == lane && n < moves) {
        const float of_window = float(accepted[n / LANES]);
        const float ratio = root((of_window + 1.0f) / (float(plan.window) - of_window + 1.0f));
        if (changes) shared.widths[n] = smaller_of(shared.widths[n] * ratio, WIDEST);
        if (counts) shared.totals[n] += accepted[n / LANES] - shared.before[n];
        shared.before[n] = 0;
        accepted[n / LANES] = 0;
      }
    }
    __syncwarp();
  }
};

template <class S, int LANES, int ROUNDS, bool RICIAN>
__device__ __forceinline__ void sample(const SamplePlan& plan, const float* signals, const u32* items,
                                       const float* factors, const u32* usable, const float* maps,
                                       const float* columns, const float* uniforms, float* numbers, float* widths, u32* accepted, u32* totals,
                                       float* samples)
{
  typedef Chain<S, LANES, ROUNDS, RICIAN> Chain;
  static const int N = Chain::N, MOVES = Chain::MOVES;
  DYNAMIC_SHARED(float4, memory);
  const u32 rows_of_table = LANES * ROUNDS, groups = blockDim.x / LANES;
  float* const cells = reinterpret_cast<float*>(memory);
  for (u32 n = threadIdx.x; n < rows_of_table * Chain::STRIDE; n += blockDim.x) {
    const u32 m = n / Chain::STRIDE, column = n - m * Chain::STRIDE;
    cells[n] = m < plan.measurements && column < S::COLUMNS ? columns[m * S::COLUMNS + column] : 0.0f;
  }
  __syncthreads();
  const u32 group = threadIdx.x / LANES, lane = threadIdx.x % LANES;
  const u32 wanted = blockIdx.x * groups + group;
  // Groups without a voxel do what the last one does, and leave nothing.
  const u32 voxel = wanted < plan.voxels ? wanted : plan.voxels - 1;
  typename Chain::Shared* const shared =
      reinterpret_cast<typename Chain::Shared*>(memory + rows_of_table * (Chain::STRIDE / 4));
  const u32 of_table = rows_of_table * (Chain::STRIDE / 4), of_groups = groups * u32(sizeof(typename Chain::Shared) / sizeof(float4));
  Chain chain(plan, memory, uniforms, shared[group], memory + of_table + of_groups + threadIdx.x, lane);
  const u32 moves = S::MOVES + plan.samples_noise, kept_numbers = N + plan.samples_noise;
  const u64 item = u64(plan.chain) << 32 | items[voxel];
  const u32 samples_of_voxel = plan.jumps / plan.interval;
  chain.usable = float(usable[voxel]);
  chain.inverse_half = 2.0f / float(usable[voxel] ? usable[voxel] : 1u);
  chain.inverse_factor = 1.0f / factors[voxel];
  chain.of_sigma = half_precision(numbers[u64(voxel) * (N + 1) + N]);
  chain.least = float(LEAST_RESIDUAL * LEAST_RESIDUAL) * chain.usable;
#pragma unroll
  for (int n = 0; n <= N; ++n) chain.numbers[n] = numbers[u64(voxel) * (N + 1) + n];
#pragma unroll
  for (int n = 0; n < int(S::MAPS); ++n) chain.maps[n] = maps[u64(voxel) * S::MAPS + n];
  const bool has_counted = plan.first_sweep >= plan.burn_in;
#pragma unroll
  for (int n = 0; n < (MOVES + LANES - 1) / LANES; ++n) chain.accepted[n] = 0;
#pragma unroll
  for (int n = 0; n < MOVES; ++n) {
    if (n % LANES == lane && n < moves) {
      chain.accepted[n / LANES] = accepted[u64(voxel) * moves + n];
      chain.shared.widths[n] = widths[u64(voxel) * moves + n];
      chain.shared.totals[n] = totals[u64(voxel) * moves + n];
      chain.shared.before[n] = has_counted ? chain.accepted[n / LANES] : 0u;
    }
  }
  __syncwarp();
  chain.measure(signals + u64(voxel) * plan.measurements, factors[voxel]);
  chain.evaluate_all();
  const u32 end = plan.burn_in + plan.jumps;
  // What is left until widths change, and until the next sample; how many samples there are.
  u32 window = plan.window - plan.first_sweep % plan.window, kept = 0, interval = plan.interval;
  if (has_counted) {
    kept = (plan.first_sweep - plan.burn_in) / plan.interval;
    interval -= (plan.first_sweep - plan.burn_in) % plan.interval;
  }
  u32 slot = SWEEPS;
  for (u32 sweep = plan.first_sweep; sweep < end; ++sweep) {
    // A sweep is a long way through code that no cache of instructions holds: warps that go it together fetch it once.
    __syncthreads();
    if (slot == SWEEPS) {
      chain.draw(sweep, moves, item);
      slot = 0;
    }
    chain.draws = chain.shared.draws[slot++];
    if (sweep == plan.burn_in && !has_counted) {
#pragma unroll
      for (int n = 0; n < MOVES; ++n) {
        if (n % LANES == lane && n < moves) chain.shared.before[n] = chain.accepted[n / LANES];
      }
    }
    S::sweep(chain);
    if (plan.samples_noise) chain.step_noise();
    if (--window == 0) {
      chain.adapt(moves, sweep < plan.burn_in || plan.adapts_throughout, sweep >= plan.burn_in);
      window = plan.window;
    }
    if (sweep < plan.burn_in || --interval) continue;
    interval = plan.interval;
    float* const out = samples + (u64(voxel) * samples_of_voxel + kept) * kept_numbers;
    ++kept;
#pragma unroll
    for (int n = 0; n <= N; ++n) {
      if (n % LANES == lane && n < kept_numbers && wanted < plan.voxels) out[n] = chain.numbers[n];
    }
  }
  if (wanted >= plan.voxels) return;
#pragma unroll
  for (int n = 0; n <= N; ++n) {
    if (n % LANES == lane) numbers[u64(voxel) * (N + 1) + n] = chain.numbers[n];
  }
#pragma unroll
  for (int n = 0; n < MOVES; ++n) {
    if (n % LANES != lane || n >= moves) continue;
    const u64 place = u64(voxel) * moves + n;
    widths[place] = chain.shared.widths[n];
    const u32 of_window = chain.accepted[n / LANES];
    totals[place] = chain.shared.totals[n] + (end > plan.burn_in ? of_window - chain.shared.before[n] : 0u);
    accepted[place] = of_window;
  }
}
