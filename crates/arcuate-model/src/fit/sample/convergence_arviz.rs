// The script oracles/convergence_arviz.py wrote this file with ArviZ 0.23.4. Change the script, not this
// file.
{
    let cases = [
        ((1, 50, 0.0, 0.0, 0.0, false), [0.0, 84.94850021680094, 54.52166327420742]),
        ((2, 500, 0.9, 0.0, 0.0, false), [1.070737747213355, 66.87436144270201, 184.40968446958098]),
        ((4, 101, 0.5, 0.05, 0.0, false), [1.1365693047204204, 21.006622455042102, 70.2912448151287]),
        ((3, 200, 0.0, 0.0, 1.5, false), [1.3022505640489994, 1293.2844111267934, 67.82346453151077]),
        ((2, 8, 0.2, 0.0, 0.0, false), [0.937937582064599, 19.265919722494797, 19.265919722494797]),
        ((2, 60, 0.8, 0.0, 0.0, true), [1.1550476071914386, 9.683387788138722, 10.648401241878183]),
    ];
    for ((count, length, rate, shift, stretch, ties), [hat, bulk, tail]) in cases {
        let mut values = Vec::new();
        for chain in 0..count {
            let (mut state, mut x) = (0.1 * f64::from(chain + 1), 0.0);
            for _ in 0..length {
                state = if state > 0.0 && state < 1.0 { state * 3.9 * (1.0 - state) } else { 0.3 };
                x = rate * x + (1.0 - rate) * (state - 0.5);
                let value: f64 = (x + shift * f64::from(chain)) * (1.0 + stretch * f64::from(chain));
                values.push(if ties { (value * 16.0).floor() / 16.0 } else { value });
            }
        }
        let found = of(&values, count as usize).unwrap();
        let near = |found: f64, expected: f64| (found / expected - 1.0).abs() < 1e-9;
        assert!(count == 1 || near(found.hat, hat), "{count} {length}: {found:?} for {hat}");
        assert!(near(found.bulk, bulk) && near(found.tail, tail), "{count} {length}: {found:?} for {bulk} {tail}");
    }
}
