// Levenberg-Marquardt, a thread for a voxel: levenberg_marquardt.rs says what is computed. Operation by operation the same:
// change both or none. A thread that is done with a voxel takes the next one, so that none waits for the slowest of its warp.
#pragma once
#include "begin.cuh"

// When it ends, and how it is damped.
template <class T> struct FitPlan {
  T tolerance, floor;
  u64 voxels, resting;
  u32 measurements, evaluations, transforms, constraints, shared_columns, uniforms;
};

// As in stage.rs.
#define DAMPING 1e-2
#define LEAST_DAMPING 1e-6
#define MOST_DAMPING 1e8
#define LESS 0.125
#define MORE 8.0
#define GOOD 0.75
#define BAD 0.25
#define NO_CURVATURE 1e-30
#define INSIDE 1e-3
#define LONGEST_STEP 4.0
#define DIAGONAL 0.5773502691896258
#define TURN_BITS 3

// Vectors across a unit vector: lanes/eigen.rs.
template <class T> __device__ __forceinline__ void vectors_across(const T* axis, T (&vectors)[2][3])
{
  const T x = axis[0], y = axis[1], z = axis[2];
  const T sign = z >= T(0) ? T(1) : T(-1);
  const T a = -(T(1) / (sign + z));
  const T b = x * y * a;
  const T is_signed = sign * x;
  vectors[0][0] = multiply_add(is_signed * x, a, T(1));
  vectors[0][1] = sign * b;
  vectors[0][2] = -is_signed;
  vectors[1][0] = b;
  vectors[1][1] = multiply_add(y * y, a, sign);
  vectors[1][2] = -y;
}

template <class T> __device__ __forceinline__ T slope_of(T number, T low, T high)
{
  const T above = number - low, below = high - number;
  const bool has_low = low > -endless<T>(), has_high = high < endless<T>();
  if (has_low && has_high) return above * below * (T(1) / (high - low));
  return has_low ? above : has_high ? below : T(1);
}

template <class T> __device__ __forceinline__ T transformed(T number, T step, T low, T high)
{
  step = smaller_of(larger_of(step, T(-LONGEST_STEP)), T(LONGEST_STEP));
  const T above = number - low, below = high - number;
  const bool has_low = low > -endless<T>(), has_high = high < endless<T>();
  if (has_low && has_high) {
    const T share = above * exponential(step);
    return (share * high + below * low) / (share + below);
  }
  if (has_low) return multiply_add(above, exponential(step), low);
  if (has_high) return multiply_add(-below, exponential(-step), high);
  return number + step;
}

template <class S> struct Minimiser {
  typedef typename S::T T;
  static const int U = S::UNKNOWNS, N = S::NUMBERS;

  const FitPlan<T>& plan;
  const T *table, *uniforms, *bounds, *rows;
  T numbers[N], trial[N], maps[S::MAPS ? S::MAPS : 1];
  T best_cost, best_normal[TRIANGLE(U, 0)], best_gradient[U];
  T cost, normal[TRIANGLE(U, 0)], gradient[U];
  T damping, predicted;
  // Changes of the sum of squares that do not count.
  T negligible;
  // Orientations without effect on the signal, and how many others were tried in place of each: TURN_BITS of each.
  u32 idle, turns;

  __device__ __forceinline__ Minimiser(const FitPlan<T>& plan, const T* table, const T* uniforms, const T* bounds,
                                       const T* rows)
      : plan(plan), table(table), uniforms(uniforms), bounds(bounds), rows(rows)
  {
  }

  __device__ __forceinline__ bool rests(int i) const { return plan.resting >> i & 1; }

  // Where unknowns are transformed, none starts at its bounds, from which there is no way.
  __device__ __forceinline__ void enter()
  {
    if (!plan.transforms) return;
#pragma unroll
    for (int i = 0; i < U; ++i) {
      if (S::turn(i) >= 0) continue;
      const T low = bounds[2 * i], high = bounds[2 * i + 1];
      const bool is_open = size(low) == endless<T>() || size(high) == endless<T>();
      const T inside = T(INSIDE) * (is_open ? T(1) : high - low);
      trial[S::number(i)] = smaller_of(larger_of(trial[S::number(i)], low + inside), high - inside);
    }
  }

  // Tries an orientation without effect along others, one after the other; whether there is one left to try. The numbers of
  // the voxel remember where it was.
  __device__ __forceinline__ bool turn_without_effect(T* of_voxel)
  {
    bool found = false;
#pragma unroll
    for (int i = 0; i < U; ++i) {
      if (S::turn(i) != 0) continue;
      const u32 place = TURN_BITS * S::orientation(i), tried = turns >> place & 7u;
      if (found || !(idle >> place & 1u) || tried >= 6) continue;
      found = true;
      turns += 1u << place;
#pragma unroll
      for (int n = 0; n < N; ++n) trial[n] = numbers[n];
      T axis[3], vectors[2][3];
#pragma unroll
      for (int n = 0; n < 3; ++n) {
        if (tried == 0) of_voxel[S::number(i) + n] = numbers[S::number(i) + n];
        axis[n] = of_voxel[S::number(i) + n];
      }
      vectors_across(axis, vectors);
      // TURNS of stage.rs.
      const bool is_diagonal = tried >= 2;
      const T along = is_diagonal ? T(DIAGONAL) : T(0);
      const T by_u = is_diagonal ? (tried < 4 ? T(DIAGONAL) : T(-DIAGONAL)) : tried == 0 ? T(1) : T(0);
      const T by_v = is_diagonal ? (tried % 2 == 0 ? T(DIAGONAL) : T(-DIAGONAL)) : tried == 1 ? T(1) : T(0);
#pragma unroll
      for (int n = 0; n < 3; ++n) {
        trial[S::number(i) + n] =
            multiply_add(by_v, vectors[1][n], multiply_add(by_u, vectors[0][n], along * axis[n]));
      }
    }
    return found;
  }

  // Gives a voxel its numbers; orientations that were turned in vain stay where they were.
  __device__ __forceinline__ void leave(T* of_voxel) const
  {
    bool stays[N];
#pragma unroll
    for (int n = 0; n < N; ++n) stays[n] = false;
#pragma unroll
    for (int i = 0; i < U; ++i) {
      if (S::turn(i) != 0) continue;
      const u32 place = TURN_BITS * S::orientation(i);
#pragma unroll
      for (int n = 0; n < 3; ++n) stays[S::number(i) + n] = (idle >> place & 1u) && (turns >> place & 7u);
    }
#pragma unroll
    for (int n = 0; n < N; ++n) {
      if (!stays[n]) of_voxel[n] = numbers[n];
    }
  }

  // The sums at the trial.
  __device__ __forceinline__ void evaluate(const float* signals, T factor)
  {
    T across[S::ORIENTATIONS ? S::ORIENTATIONS : 1][2][3], values[S::VALUES];
#pragma unroll
    for (int i = 0; i < U; ++i) {
      if (S::turn(i) == 0) vectors_across(trial + S::number(i), across[S::orientation(i)]);
    }
    S::voxel(uniforms, trial, maps, across, values);
    cost = T(0);
#pragma unroll
    for (int i = 0; i < TRIANGLE(U, 0); ++i) normal[i] = T(0);
#pragma unroll
    for (int i = 0; i < U; ++i) gradient[i] = T(0);
    for (u32 m = 0; m < plan.measurements; ++m) {
      T derivatives[U];
      const T predicted_signal = S::inner(uniforms, table + m * S::COLUMNS, values, derivatives);
      const T signal = T(signals[m]) * factor;
      if (!is_usable(signal)) continue;
      const T difference = signal - predicted_signal;
      cost = multiply_add(difference, difference, cost);
#pragma unroll
      for (int i = 0; i < U; ++i) {
        gradient[i] = multiply_add(derivatives[i], difference, gradient[i]);
#pragma unroll
        for (int j = 0; j <= i; ++j) {
          normal[TRIANGLE(i, j)] = multiply_add(derivatives[i], derivatives[j], normal[TRIANGLE(i, j)]);
        }
      }
    }
  }

  // Takes a trial that is better than what was before, and changes the damping.
  __device__ __forceinline__ void judge(bool is_new)
  {
    if (is_new) {
      damping = T(DAMPING);
    } else if (cost < best_cost) {
      const T gain = (best_cost - cost) / predicted;
      if (gain > T(GOOD)) {
        damping = larger_of(damping * T(LESS), T(LEAST_DAMPING));
      } else if (gain < T(BAD)) {
        damping = damping + damping;
      }
    } else {
      damping = damping * T(MORE);
    }
    if (is_new || cost < best_cost) {
#pragma unroll
      for (int n = 0; n < N; ++n) numbers[n] = trial[n];
      best_cost = cost;
#pragma unroll
      for (int i = 0; i < TRIANGLE(U, 0); ++i) best_normal[i] = normal[i];
#pragma unroll
      for (int i = 0; i < U; ++i) best_gradient[i] = gradient[i];
    }
  }

  __device__ __forceinline__ T slack(u32 constraint, const T (&of)[N]) const
  {
    const T* const row = rows + constraint * (N + 2);
    T sum = row[N];
#pragma unroll
    for (int n = 0; n < N; ++n) sum = multiply_add(row[n], of[n], sum);
    return sum;
  }

  // The next trial, and by how much it should lower the cost.
  __device__ __forceinline__ void propose()
  {
    T own_scales[U], scales[U], active[U], step[U];
    idle = 0;
#pragma unroll
    for (int i = 0; i < U; ++i) {
      T slope = T(1);
      bool is_resting = rests(i);
      if (!is_resting && S::turn(i) < 0) {
        const T number = numbers[S::number(i)], low = bounds[2 * i], high = bounds[2 * i + 1];
        if (plan.transforms) {
          slope = slope_of(number, low, high);
        } else {
          is_resting = (T(0) > best_gradient[i] && low >= number) || (best_gradient[i] > T(0) && number >= high);
        }
      }
      const T curvature = best_normal[TRIANGLE(i, i)] * (slope * slope);
      const T scale = T(1) / root(larger_of(curvature, T(NO_CURVATURE)));
      own_scales[i] = is_resting || !(curvature > T(NO_CURVATURE)) ? T(0) : scale;
      scales[i] = slope * own_scales[i];
    }
#pragma unroll
    for (int i = 0; i < U; ++i) {
      active[i] = scales[i];
      step[i] = T(0);
      const int other = i > 0 ? i - 1 : 0;
      const T curvature = best_normal[TRIANGLE(other, other)] + best_normal[TRIANGLE(i, i)];
      if (S::turn(i) == 1 && !rests(i) && curvature <= negligible) idle |= 1u << (TURN_BITS * S::orientation(i));
    }
    solve(scales, active, step);
    if (!plan.transforms && fix_those_beyond(scales, active, step)) solve(scales, active, step);
    move(own_scales, scales, step);
    predicted = T(0);
#pragma unroll
    for (int i = 0; i < U; ++i) {
      T sum = best_gradient[i] + best_gradient[i];
#pragma unroll
      for (int j = 0; j < U; ++j) {
        sum = multiply_add(-best_normal[j <= i ? TRIANGLE(i, j) : TRIANGLE(j, i)], step[j], sum);
      }
      predicted = multiply_add(step[i], sum, predicted);
    }
  }

  // The step of the unknowns that are active, beside those whose step is known.
  __device__ __forceinline__ void solve(const T (&scales)[U], const T (&active)[U], T (&step)[U])
  {
    T matrix[TRIANGLE(U, 0)], other[U];
#pragma unroll
    for (int i = 0; i < U; ++i) {
#pragma unroll
      for (int j = 0; j < i; ++j) matrix[TRIANGLE(i, j)] = best_normal[TRIANGLE(i, j)] * active[i] * active[j];
      matrix[TRIANGLE(i, i)] = T(1) + damping;
    }
#pragma unroll
    for (int i = 0; i < U; ++i) {
      T right = best_gradient[i];
#pragma unroll
      for (int j = 0; j < U; ++j) {
        const T known = size(active[j]) > T(0) ? T(0) : scales[j] * step[j];
        right = multiply_add(-best_normal[j <= i ? TRIANGLE(i, j) : TRIANGLE(j, i)], known, right);
      }
      other[i] = right * active[i];
    }
    Factors<T, U> factors;
    factors.factorise(matrix, T(LEAST_DAMPING));
    factors.solve(other);
#pragma unroll
    for (int i = 0; i < U; ++i) step[i] = size(active[i]) > T(0) ? other[i] : step[i];
    for (u32 constraint = 0; constraint < plan.constraints; ++constraint) {
      meet(constraint, factors, scales, active, step);
    }
  }

  // Lets steps end at the bounds that they would pass, and these unknowns be active no more; whether there is one.
  __device__ __forceinline__ bool fix_those_beyond(const T (&scales)[U], T (&active)[U], T (&step)[U]) const
  {
    bool any = false;
#pragma unroll
    for (int i = 0; i < U; ++i) {
      if (S::turn(i) >= 0) continue;
      const T number = numbers[S::number(i)], low = bounds[2 * i], high = bounds[2 * i + 1];
      const T moved = multiply_add(scales[i], step[i], number);
      if (!(low > moved) && !(moved > high)) continue;
      step[i] = ((low > moved ? low : high) - number) / (scales[i] > T(0) ? scales[i] : T(1));
      active[i] = T(0);
      any = true;
    }
    return any;
  }

  // Bends the step so that it ends where a constraint would be broken.
  __device__ __forceinline__ void meet(u32 constraint, const Factors<T, U>& factors, const T (&scales)[U],
                                       const T (&active)[U], T (&step)[U])
  {
    const T* const row = rows + constraint * (N + 2);
    T after = slack(constraint, numbers), kept[U], other[U];
#pragma unroll
    for (int i = 0; i < U; ++i) {
      kept[i] = T(0);
      if (S::turn(i) < 0) {
        const T weight = row[S::number(i)];
        kept[i] = weight * active[i];
        after = multiply_add(weight * scales[i], step[i], after);
      }
      other[i] = kept[i];
    }
    factors.solve(other);
    T product = T(0);
#pragma unroll
    for (int i = 0; i < U; ++i) product = multiply_add(kept[i], other[i], product);
    T factor = -after / larger_of(product, T(NO_CURVATURE));
    if (!(product > T(NO_CURVATURE))) factor = T(0);
    if (row[N + 1] == T(0) && !(T(0) > after)) factor = T(0);
#pragma unroll
    for (int i = 0; i < U; ++i) {
      const T bent = multiply_add(factor, other[i], step[i]);
      step[i] = size(active[i]) > T(0) ? bent : step[i];
    }
  }

  // The trial at the end of the step; the step as it is after bounds and constraints.
  __device__ __forceinline__ void move(const T (&own_scales)[U], const T (&scales)[U], T (&step)[U])
  {
#pragma unroll
    for (int n = 0; n < N; ++n) trial[n] = numbers[n];
#pragma unroll
    for (int i = 0; i < U; ++i) {
      if (S::turn(i) >= 0) continue;
      const T number = numbers[S::number(i)], low = bounds[2 * i], high = bounds[2 * i + 1];
      const T moved = plan.transforms ? transformed(number, step[i] * own_scales[i], low, high)
                                      : multiply_add(scales[i], step[i], number);
      trial[S::number(i)] = smaller_of(larger_of(moved, low), high);
    }
    T part = T(1);
    for (u32 constraint = 0; constraint < plan.constraints; ++constraint) {
      if (rows[constraint * (N + 2) + N + 1] != T(0)) continue;
      const T before = larger_of(slack(constraint, numbers), T(0));
      const T after = slack(constraint, trial);
      const T shorter = before / (before - after);
      part = smaller_of(part, T(0) > after ? shorter : T(1));
    }
#pragma unroll
    for (int i = 0; i < U; ++i) {
      if (S::turn(i) >= 0) {
        step[i] = part * (scales[i] * step[i]);
        if (S::turn(i) == 1) turn(S::number(i), step[i > 0 ? i - 1 : 0], step[i]);
        continue;
      }
      T moved = trial[S::number(i)] - numbers[S::number(i)];
      if (plan.constraints) {
        moved = part * moved;
        trial[S::number(i)] = numbers[S::number(i)] + moved;
      }
      step[i] = plan.transforms ? scales[i] * step[i] : moved;
    }
  }

  // Turns an orientation by u and v towards the vectors across it.
  __device__ __forceinline__ void turn(int first, T u, T v)
  {
    T vectors[2][3], turned[3];
    vectors_across(numbers + first, vectors);
#pragma unroll
    for (int n = 0; n < 3; ++n) {
      turned[n] = multiply_add(v, vectors[1][n], multiply_add(u, vectors[0][n], numbers[first + n]));
    }
    const T length = root(dot3(turned[0], turned[1], turned[2], turned));
#pragma unroll
    for (int n = 0; n < 3; ++n) trial[first + n] = turned[n] / length;
  }
};

// The next voxel that is to be fitted.
__device__ __forceinline__ u64 next_voxel(u32* next, u64 voxels, const u8* status)
{
  while (true) {
    const u64 voxel = atomicAdd(next, 1u);
    if (voxel >= voxels) return voxels;
    if (status[voxel] < STATUS_NO_SIGNAL) return voxel;
  }
}

template <class S, class T>
__device__ __forceinline__ void minimise(const FitPlan<T>& plan, const float* signals, const T* factors,
                                         const T* squares, const T* maps, const T* columns, const T* uniforms,
                                         const T* bounds, const T* rows, T* numbers, u8* status, T* costs,
                                         u32* evaluations, u32* next)
{
  DYNAMIC_SHARED(T, shared);
  const T* const table = shared_table(columns, plan.shared_columns, shared);
  Minimiser<S> fit(plan, table, uniforms, bounds, rows);
  u64 voxel = next_voxel(next, plan.voxels, status);
  // Whether the damping begins anew.
  bool is_new = true;
  u32 count = 0;
  while (voxel < plan.voxels) {
    T* const of_voxel = numbers + voxel * Minimiser<S>::N;
    if (count == 0) {
#pragma unroll
      for (int n = 0; n < Minimiser<S>::N; ++n) fit.trial[n] = of_voxel[n];
#pragma unroll
      for (int n = 0; n < int(S::MAPS); ++n) fit.maps[n] = maps[voxel * S::MAPS + n];
      fit.enter();
      fit.turns = 0;
    }
    fit.evaluate(signals + voxel * plan.measurements, factors[voxel]);
    ++count;
    const bool failed = count == 1 && !(fit.cost < endless<T>());
    fit.judge(is_new);
    fit.negligible = multiply_add(plan.tolerance, fit.best_cost, plan.floor * squares[voxel]);
    fit.propose();
    const bool ended = size(fit.predicted) <= fit.negligible || fit.damping >= T(MOST_DAMPING);
    const bool may_go_on = count < plan.evaluations;
    is_new = !failed && ended && may_go_on && fit.turn_without_effect(of_voxel);
    if (is_new || (!failed && !ended && may_go_on)) continue;
    fit.leave(of_voxel);
    status[voxel] = failed ? STATUS_NO_MODEL : ended ? STATUS_CONVERGED : STATUS_LIMIT;
    costs[voxel] = fit.best_cost;
    evaluations[voxel] += count;
    count = 0;
    is_new = true;
    voxel = next_voxel(next, plan.voxels, status);
  }
}
