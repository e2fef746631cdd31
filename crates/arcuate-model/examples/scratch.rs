use arcuate_compute::{Device, Purpose, Random};
use arcuate_core::*;
use arcuate_model::fit::*;
use arcuate_model::language::*;
use std::time::Instant;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let name = &args[1];
    let count: usize = args[2].parse().unwrap();
    let snr: f64 = args[3].parse().unwrap();
    let single = args[4] == "f32";
    let transform = args.get(5).is_some_and(|a| a == "transform");
    let model = arcuate_model::models::model(name).unwrap();
    // 5 b0, 50 b1000, 50 b2000
    let dirs = Orientations::half_sphere(50);
    let mut d = vec![[1.0, 0.0, 0.0]; 5];
    let mut b = vec![0.0; 5];
    for s in [1000.0, 2000.0] {
        for x in dirs.directions() {
            d.push(*x);
            b.push(s);
        }
    }
    let table = GradientTable::new(&d, b, 50.0).unwrap();
    let program = model.program(&model.own_roles()).unwrap();
    let p = program_parts(&model);
    let mut random = Random::new(7, Purpose::Resampling, 0);
    let mut values = vec![];
    let mut truth = vec![];
    for _ in 0..count {
        let mut numbers = vec![];
        for q in model.parameters() {
            if q.is_fixed() { continue; }
            match q.form() {
                Form::Number { bounds, .. } => {
                    let v = match q.name() {
                        "s0" => 500.0 + 1000.0 * random.uniform(),
                        "kappa" => if random.uniform() < 0.3 { 0.2*random.uniform() } else { 16.0 * random.uniform().powi(2) + 0.05 },
                        "fwf" => 0.7 * random.uniform(),
                        "ndi" => 0.15 + 0.75 * random.uniform(),
                        "d" => (0.5 + 1.5 * random.uniform()) * 1e-3,
                        "d_std" => (0.1 + 0.7 * random.uniform()) * 1e-3,
                        "f" => 0.1 + 0.8 * random.uniform(),
                        "f1" => 0.3 + 0.2 * random.uniform(),
                        "f2" => 0.15 + 0.15 * random.uniform(),
                        "f3" => 0.1 + 0.05 * random.uniform(),
                        _ => if bounds.high.is_finite() { bounds.low + (bounds.high - bounds.low) * random.uniform() } else { 1.0 },
                    };
                    numbers.push(v * q.unit().factor());
                }
                Form::Orientation { .. } => {
                    let v: [f64; 3] = std::array::from_fn(|_| random.normal());
                    let l = v.iter().map(|x| x * x).sum::<f64>().sqrt();
                    numbers.extend(v.map(|x| x / l));
                }
            }
        }
        let settings: Vec<f64> = model.parameters().iter().filter(|q| q.is_fixed()).map(|q| q.start_number().unwrap() * q.unit().factor()).collect();
        for m in 0..table.len() {
            let v = p.0.evaluate(|i| match i {
                Input::Parameter(n) => numbers[n as usize],
                Input::Setting(n) => settings[n as usize],
                Input::Measurement(0) => table.b_values()[m] * 1e-3,
                Input::Measurement(n) if n < 4 => table.directions()[m][n as usize - 1],
                _ => 0.0,
            });
            values.push((v[p.1.index()] + numbers[0] / snr * random.normal()) as f32);
        }
        truth.push(numbers);
    }
    let _ = program;
    let grid = Grid::new([count, 1, 1], Affine::identity()).unwrap();
    let dwi = Volume::new(grid, table.len(), values).unwrap();
    let options = FitOptions { single_precision: single, bounds: if transform { BoundsMethod::Transform } else { BoundsMethod::Projection }, ..Default::default() };
    let t = Instant::now();
    let fit = &fit_models(&[model.clone()], &dwi, &table, &Mask::full(grid), &Device::Cpu, &options).unwrap()[0];
    println!("{:.3} s, evaluations {:.1} a voxel, {:?}", t.elapsed().as_secs_f64(), fit.evaluations as f64 / count as f64, fit.counts);
    let mut first = 0;
    for q in model.parameters().iter().filter(|q| !q.is_fixed()) {
        let map = fit.maps.iter().find(|m| m.name == q.name()).unwrap();
        let mut e: Vec<f64> = (0..count)
            .map(|v| {
                let f = map.volume.voxel(v);
                if q.numbers() == 1 {
                    (f[0] as f64 - truth[v][first] / q.unit().factor()).abs() / if q.unit().is_one() { 1.0 } else { truth[v][first] / q.unit().factor() }
                } else {
                    let c: f64 = (0..3).map(|n| f[n] as f64 * truth[v][first + n]).sum::<f64>().abs();
                    c.min(1.0).acos().to_degrees()
                }
            })
            .collect();
        e.sort_by(f64::total_cmp);
        println!("{:8} median {:.2e} 90% {:.2e} 99% {:.2e} 99.5% {:.2e} max {:.2e}", q.name(), e[count / 2], e[count * 9 / 10], e[count * 99 / 100], e[(count * 995) / 1000], e[count - 1]);
        first += q.numbers();
    }
}
fn program_parts(model: &Model) -> (Program, Id) {
    model.program(&model.own_roles()).unwrap().parts()
}
