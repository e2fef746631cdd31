use crate::options::Options;
use arcuate_numbers::elementary::single;
use pulp::{Arch, Simd, WithSimd};
use std::f32::consts::TAU;
use std::hint::black_box;
use std::time::Instant;

/// `NUMBERS` is the number of values that each function is applied to. All of them fit in the level-1 cache.
/// `ROUNDS` is how often a timed run repeats this.
const NUMBERS: usize = 2048;
const ROUNDS: usize = 500;

/// A loop that computes `$value` for every number, compiled for the SIMD instructions of the processor.
macro_rules! loops {
    ($($name:ident: $x:ident => $value:expr;)*) => {$(
        struct $name<'a>(&'a [f32], &'a mut [f32]);

        impl WithSimd for $name<'_> {
            type Output = ();

            #[inline(always)]
            fn with_simd<S: Simd>(self, _: S) {
                for _ in 0..ROUNDS {
                    for (y, &$x) in self.1.iter_mut().zip(black_box(self.0)) {
                        *y = $value;
                    }
                    black_box(&mut *self.1);
                }
            }
        }
    )*};
}

loops! {
    Exp: x => single::exp(x);
    LibraryExp: x => x.exp();
    Ln: x => single::ln(x);
    LibraryLn: x => x.ln();
    SinCos: x => { let (sin, cos) = single::sin_cos(x); sin + cos };
    LibrarySinCos: x => { let (sin, cos) = x.sin_cos(); sin + cos };
    SinCosTurns: x => { let (sin, cos) = single::sin_cos_turns(x); sin + cos };
    LibrarySinCosTurns: x => { let (sin, cos) = (TAU * x).sin_cos(); sin + cos };
}

/// The vector width of the instruction set.
struct Width;

impl WithSimd for Width {
    type Output = usize;

    fn with_simd<S: Simd>(self, _: S) -> usize {
        S::F32_LANES
    }
}

/// Times Arcuate's elementary functions (such as the exponential function) in single precision, on one
/// thread. They run in a SIMD loop over values in the cache. They are compared with the functions of the
/// mathematical library, which are called for one value at a time.
pub(crate) fn run(options: &Options) {
    let arch = Arch::new();
    let (width, turns) = (arch.dispatch(Width), options.turns);
    println!(
        "elementary functions of f32, {width} side by side, one thread; least of {turns} turns, ns a number"
    );
    // The result is the minimum time of all turns and not the median. The turns do the same work, so only
    // other load on the machine makes some of them slower.
    macro_rules! row {
        ($what:literal, $low:literal, $high:literal, $ours:ident, $theirs:ident) => {{
            let x: Vec<f32> =
                (0..NUMBERS).map(|n| $low + ($high - $low) * n as f32 / NUMBERS as f32).collect();
            let mut y = vec![0.0; NUMBERS];
            let [mut ours, mut theirs] = [f64::INFINITY; 2];
            for _ in 0..=options.turns {
                ours = ours.min(seconds(|| arch.dispatch($ours(&x, &mut y))));
                theirs = theirs.min(seconds(|| arch.dispatch($theirs(&x, &mut y))));
            }
            let each = 1e9 / (NUMBERS * ROUNDS) as f64;
            println!(
                "{:<28} {:>8.3}   library {:>8.3}   {:>6.1} × faster",
                $what,
                ours * each,
                theirs * each,
                theirs / ours
            );
        }};
    }
    row!("exp, −20 to 20", -20.0, 20.0, Exp, LibraryExp);
    row!("ln, 0.01 to 20", 0.01, 20.0, Ln, LibraryLn);
    row!("sin and cos, −20 to 20", -20.0, 20.0, SinCos, LibrarySinCos);
    row!("sin and cos of −3 to 3 turns", -3.0, 3.0, SinCosTurns, LibrarySinCosTurns);
    println!();
}

fn seconds(work: impl FnOnce()) -> f64 {
    let started = Instant::now();
    work();
    started.elapsed().as_secs_f64()
}
