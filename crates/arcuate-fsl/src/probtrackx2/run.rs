//! A run of `probtrackx2`: reads all inputs, tracks the streamlines, and writes the results.

use super::elements::{Elements, Tables, Voxels};
use super::inputs::Inputs;
use super::lines::{AllDirections, SavedPaths};
use super::matrix4::{Columns, FibreMatrix};
use super::options::{LengthMeasures, Mode, Request};
use super::outputs;
use super::results::Results;
use super::rois::{self, Reference, Roi, RoiFile, name_of};
use super::seeds::{SeedFiles, SeedList};
use super::space_mappings::SpaceMappings;
use super::tables::{Counted, Counters, MinimumLength, Rows, RowsOfSeeds, SeedElements};
use super::target_paths::TargetPaths;
use super::text;
use crate::environment::ImageFormat;
use arcuate_connect::{ConnectomeOptions, PairCounter, PairMemory, PassedElements};
use arcuate_core::{Axis, Error, Result, StreamlineBatch, StreamlineSink, narrow};
use arcuate_pipeline::job::Job;
use arcuate_pipeline::orientation_files::SampleFiles;
use arcuate_pipeline::output::OutputFolder;
use arcuate_pipeline::output_files::{Kind, MAX_OUTLINES};
use arcuate_pipeline::record::Record;
use arcuate_pipeline::stages::sampled::REFERENCES;
use arcuate_pipeline::stages::tracking::ACCEPTED;
use arcuate_report::human;
use arcuate_track::{
    ConstraintUnit, Constraints, OrientationTable, Region, SampleOutputs, SampleTracker, SampleTracks, Seeds,
    WaypointCondition,
};
use std::ops::Range;
use std::path::PathBuf;

pub(super) fn run(request: &Request, format: ImageFormat, program: &str, job: &Job) -> Result<()> {
    let inputs = Inputs::find(request)?;
    let reference = inputs.seeds.reference(request)?;
    let files = inputs.paths(request, &reference.path);
    let output_files = outputs::output_files(request, &inputs, format);
    let path = folder_of(request);
    let folder = OutputFolder::create(&path, &output_files, &files, job)?;
    let results = Results::new(request, &reference, folder, format, job);
    job.came_from("seed points", &request.seed.display());
    job.came_from("seed mask", &request.seed.display());
    job.came_from("mask", &inputs.mask.display());
    job.came_from("orientations", &request.samples.display());
    let table = job.step("read the samples", || {
        OrientationTable::new(&SampleFiles::new(inputs.fibres.clone(), Some(&inputs.mask))?)
    })?;
    request.options.check_on(table.grid(), table.fibres())?;
    let mappings = SpaceMappings::read(inputs.transforms.as_ref(), &reference, &inputs.mask, table.grid())?;
    let read = |files: &[RoiFile]| -> Result<Vec<Roi>> {
        files.iter().map(|file| Roi::read(file, &reference)).collect()
    };
    let regions = Regions {
        waypoints: read(&inputs.waypoints)?,
        avoid: read(&inputs.avoid)?,
        stop: read(&inputs.stop)?,
        stop_on_exit: read(&inputs.stop_on_exit)?,
    }
    .with_something(request)?;
    let elements = Elements {
        targets: read(&inputs.targets)?,
        alternative: read(&inputs.alternative)?,
        target2: inputs.target2.as_deref().map(|path| Voxels::of_seeds(path, &reference)).transpose()?,
        rows3: read(&inputs.rows3)?,
        columns3: read(&inputs.columns3)?,
        target4: inputs.target4.as_deref().map(|path| Voxels::of_samples(path, table.grid())).transpose()?,
        columns4: read(&inputs.columns4)?,
    };
    let outlines = outlines(&inputs);
    let seeds = inputs.seeds.read(&reference)?;
    let device = job.device()?;
    if request.verbose > 0 {
        job.print(format_args!(
            "{program}: {} streamlines from each of {} seeds, on {device}, into {}\n",
            request.each,
            seeds.len(),
            path.display()
        ));
    }
    let tracker = SampleTracker::new(&table, device)?;
    let run = Run {
        request,
        reference: &reference,
        seeds: &seeds,
        mappings: &mappings,
        table: &table,
        tracker,
        job,
    };
    results.log(job)?;
    let followed = run.follow(&regions, &elements, &results)?;
    job.write("write the results", || {
        followed.way_totals(request, &results)?;
        results.write_tables(&seeds, &elements, &followed.tables)
    })?;
    let accepted: u64 = followed.totals.iter().sum();
    let all = followed.seeds;
    if accepted == 0 {
        tracing::warn!("all {all} streamlines were rejected");
    }
    let mut record = Record::new("Tracking through samples", output_files, job);
    record.done(format!(
        "{} streamlines were followed through samples of fibre orientations, {} from each of {} seeds; {} were accepted.",
        human::count(all),
        human::count(u64::from(request.each)),
        human::count(seeds.len() as u64),
        human::count(accepted)
    ));
    record.figure(ACCEPTED, accepted).key();
    record.figure("streamlines followed", all);
    record.choice("followed by", &followed.by);
    record.cite(REFERENCES);
    record.add_inputs(&files, job)?;
    for (path, title) in outlines {
        record.show_input(&path, title, Kind::Mask);
    }
    record.write(results.folder.path(), job)?;
    if request.verbose > 0 {
        job.print(format_args!("{program}: {accepted} of {all} streamlines accepted\n"));
    }
    Ok(())
}

/// Returns the images of the seeds and of the other regions, each with a title. The report draws their
/// outlines on the maps. Regions on surfaces are omitted.
fn outlines(inputs: &Inputs) -> Vec<(PathBuf, String)> {
    let seeds: &[RoiFile] = match &inputs.seeds {
        SeedFiles::Regions(files) => files,
        SeedFiles::Points(_) => &[],
    };
    let lists = [
        ("seeds", seeds),
        ("waypoint", inputs.waypoints.as_slice()),
        ("target", inputs.targets.as_slice()),
        ("stop", inputs.stop.as_slice()),
        ("stop on exit", inputs.stop_on_exit.as_slice()),
        ("excluded", inputs.avoid.as_slice()),
    ];
    let named = lists.into_iter().flat_map(|(what, files)| files.iter().map(move |file| (what, file)));
    let images = named.filter(|(_, file)| file.is_image).take(MAX_OUTLINES);
    images.map(|(what, file)| (file.path.clone(), format!("{what} {}", name_of(&file.path)))).collect()
}

/// Returns the path of the folder of results. Without `--forcedir`, a `+` is appended to the name until no
/// such folder exists.
fn folder_of(request: &Request) -> PathBuf {
    let mut folder = request.folder.clone();
    while !request.is_folder_forced && folder.exists() {
        folder.as_mut_os_string().push("+");
    }
    folder
}

/// Regions of the constraints.
struct Regions {
    waypoints: Vec<Roi>,
    avoid: Vec<Roi>,
    stop: Vec<Roi>,
    stop_on_exit: Vec<Roi>,
}

impl Regions {
    /// Removes regions without voxels or vertices, which no streamline can pass. Returns an error if the
    /// waypoint condition can then never be met.
    fn with_something(mut self, request: &Request) -> Result<Self> {
        let is_empty = |roi: &Roi| roi.len() == 0;
        if request.rules.condition == WaypointCondition::All
            && let Some(roi) = self.waypoints.iter().find(|roi| is_empty(roi))
        {
            let problem = "no voxel is inside, so that no streamline can pass it";
            return Err(Error::invalid(roi.path.display(), problem, "give another as --waypoints"));
        }
        let Self { waypoints, avoid, stop, stop_on_exit } = &mut self;
        let all = [("waypoints", waypoints), ("avoid", avoid), ("stop", stop), ("wtstop", stop_on_exit)];
        for (option, rois) in all {
            for roi in rois.iter().filter(|roi| is_empty(roi)) {
                tracing::warn!(
                    "{}: no voxel is inside this region, so --{option} has no effect",
                    roi.path.display()
                );
            }
            rois.retain(|roi| !is_empty(roi));
        }
        if self.waypoints.is_empty() && request.rules.waypoints.is_some() {
            let problem = "no voxel is inside any of them, so that no streamline can pass one";
            return Err(Error::usage(
                "--waypoints",
                problem,
                "give waypoint regions that contain voxels, or remove --waypoints",
            ));
        }
        Ok(self)
    }
}

/// Results of tracking.
struct Followed {
    /// Number of accepted streamlines: one value per seed region in network mode, and one value in total in
    /// the other modes.
    totals: Vec<u64>,
    /// Number of tracked streamlines.
    seeds: u64,
    by: String,
    tables: Tables,
}

impl Followed {
    fn way_totals(&self, request: &Request, results: &Results<'_>) -> Result<()> {
        if request.mode == Mode::Simple {
            return Ok(());
        }
        let lines: String = self.totals.iter().map(|&total| text::row([total as f64])).collect();
        results.text("waytotal", lines)
    }
}

struct Run<'a> {
    request: &'a Request,
    reference: &'a Reference,
    seeds: &'a SeedList,
    mappings: &'a SpaceMappings,
    table: &'a OrientationTable,
    tracker: SampleTracker<'a>,
    job: &'a Job,
}

/// Receivers of streamlines on the CPU. Each of them gets all streamlines.
#[derive(Default)]
struct HostSinks<'a>(Vec<&'a mut dyn StreamlineSink>);

impl StreamlineSink for HostSinks<'_> {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        self.0.iter_mut().try_for_each(|sink| sink.take(batch))
    }
}

impl Run<'_> {
    /// Tracks all streamlines. During tracking, also writes the maps and the other outputs that need not wait
    /// for all streamlines.
    fn follow(&self, regions: &Regions, elements: &Elements, results: &Results<'_>) -> Result<Followed> {
        let Self { request, reference, seeds, mappings, .. } = self;
        let (requested, step_mm) = (&request.requested, request.options.step_mm);
        let to_seeds = mappings.to_seeds.as_ref();
        let mapping = mappings.to_seeds.as_deref();
        let mut counted = self.counted(elements, results)?;
        let targets = rois::regions(&elements.targets, to_seeds)?;
        let with_paths = requested.targets.as_ref().is_some_and(|targets| targets.paths);
        let mut target_paths = with_paths
            .then(|| TargetPaths::new(&targets, step_mm, &reference.grid, mapping, requested.directions))
            .transpose()?;
        let whole = request.mode != Mode::Simple && requested.directions;
        let mut directions = whole.then(|| AllDirections::new(&reference.grid, mapping)).transpose()?;
        let saved = results.folder.path().join("saved_paths.txt");
        let mut saved =
            requested.paths.then(|| SavedPaths::create(&saved, reference, mapping)).transpose()?;
        let columns4 = rois::elements(&elements.columns4, to_seeds)?;
        let mut matrix4 = self.fibre_matrix(elements, &columns4)?;
        let elements3 = [&elements.rows3, &elements.columns3].map(|rois| rois::elements(rois, to_seeds));
        let [rows3, columns3] = elements3;
        let (rows3, columns3) = (rows3?, columns3?);
        let mut pairs = self.pairs(&rows3, &columns3, results)?;
        let (mut short, mut others) = (Vec::new(), Counters::default());
        for counted in counted.all() {
            let least_mm = counted.least_mm;
            let counter = counted.counter(step_mm)?;
            if least_mm > 0.0 {
                short.push(MinimumLength { sink: counter, least_mm, step_mm });
            } else {
                others.0.push(counter);
            }
        }
        let followed_from = seeds.seeds(request, reference, mappings.to_samples.as_ref());
        let (mut totals, mut whole, mut by, mut all) = (Vec::new(), None::<SampleTracks>, String::new(), 0);
        for part in self.parts() {
            let constraints = self.constraints(regions, &part)?;
            let is_alone = request.mode == Mode::Simple && requested.directions;
            let mut own = is_alone.then(|| AllDirections::new(&reference.grid, mapping)).transpose()?;
            let mut on_host = HostSinks::default();
            on_host.0.extend(target_paths.as_mut().map(|sink| sink as &mut dyn StreamlineSink));
            on_host.0.extend(directions.as_mut().map(|sink| sink as &mut dyn StreamlineSink));
            on_host.0.extend(own.as_mut().map(|sink| sink as &mut dyn StreamlineSink));
            on_host.0.extend(saved.as_mut().map(|sink| sink as &mut dyn StreamlineSink));
            on_host.0.extend(matrix4.as_mut().map(|sink| sink as &mut dyn StreamlineSink));
            on_host.0.extend(pairs.as_mut().map(|sink| sink as &mut dyn StreamlineSink));
            on_host.0.extend(short.iter_mut().map(|sink| sink as &mut dyn StreamlineSink));
            let tracks = self.follow_part(&part, &followed_from, &constraints, on_host, &mut others)?;
            totals.push(tracks.summary.streamlines);
            all += tracks.summary.seeds;
            by.clone_from(&tracks.device_name);
            if request.verbose > 1 {
                let (name, accepted) = (&part.name, tracks.summary.streamlines);
                self.job.print(format_args!("{name}: {accepted} of {} accepted\n", tracks.summary.seeds));
            }
            match (request.mode, part.point) {
                (Mode::Simple, Some(point)) => {
                    results.write_density(Some(&seeds.points()[point]), &tracks, own.as_ref())?;
                }
                _ => match &mut whole {
                    Some(whole) => whole.add(&tracks),
                    None => whole = Some(tracks),
                },
            }
        }
        if let Some(tracks) = &whole {
            results.write_density(None, tracks, directions.as_ref())?;
        }
        others.finish()?;
        for MinimumLength { sink, .. } in short {
            sink.finish()?;
        }
        saved.map_or(Ok(()), SavedPaths::finish)?;
        if let Some(matrix) = &matrix4 {
            matrix.write(&results.folder.file("fdt_matrix4_1.mtx"))?;
        }
        if let (Some(MinimumLength { sink, .. }), Some(matrix)) = (pairs, &requested.matrix3) {
            let is_symmetric = matrix.columns.is_none();
            let width = if is_symmetric { rows3.len() } else { columns3.len() };
            let mut file = results.dot("fdt_matrix3", [rows3.len(), width], is_symmetric)?;
            sink.pass_rows(&mut file)?;
            file.finish()?;
        }
        if let Some(paths) = target_paths {
            results.write_target_paths(&elements.targets, &paths)?;
        }
        Ok(Followed { totals, seeds: all, by, tables: counted.finish()? })
    }

    /// Creates the matrix of the connections of fibres with seeds or other elements, if it was requested.
    fn fibre_matrix<'c>(
        &self,
        elements: &Elements,
        columns: &'c PassedElements,
    ) -> Result<Option<FibreMatrix<'c>>> {
        let Some(voxels) = &elements.target4 else { return Ok(None) };
        let step_mm = self.request.options.step_mm;
        let columns = if elements.columns4.is_empty() {
            Columns::Seeds { count: self.seeds.len(), each: u64::from(self.request.each) }
        } else {
            Columns::met(columns, step_mm)?
        };
        let peaks = self.table.mean_orientations()?;
        FibreMatrix::new(&voxels.grid, &voxels.numbers, peaks, columns, step_mm).map(Some)
    }

    /// Creates the matrix of the pairs of elements that streamlines pass, if it was requested.
    fn pairs<'c>(
        &self,
        rows: &'c PassedElements,
        columns: &'c PassedElements,
        results: &Results<'_>,
    ) -> Result<Option<MinimumLength<PairCounter<'c>>>> {
        let (requested, step_mm) = (&self.request.requested, self.request.options.step_mm);
        let Some(matrix) = &requested.matrix3 else { return Ok(None) };
        let with_axis = |elements: &'c PassedElements| -> Result<(&'c PassedElements, Axis)> {
            Ok((elements, Axis::unknown(elements.len())?))
        };
        let columns = matrix.columns.as_ref().map(|_| with_axis(columns)).transpose()?;
        let most_bytes = ConnectomeOptions::default().most_dense_bytes;
        let memory = PairMemory { most_bytes, folder: Some(results.folder.path()) };
        let measures = requested.measures.measures();
        let sink = PairCounter::new(with_axis(rows)?, columns, &measures, step_mm, memory)?;
        Ok(Some(MinimumLength { sink, least_mm: matrix.least_mm, step_mm }))
    }

    fn follow_part(
        &self,
        part: &Part,
        seeds: &Seeds,
        constraints: &Constraints,
        mut on_host: HostSinks<'_>,
        counters: &mut Counters<'_>,
    ) -> Result<SampleTracks> {
        let Self { request, reference, mappings, tracker, job, .. } = self;
        let requested = &request.requested;
        let map = requested.density.then(|| (reference.grid, mappings.to_seeds.clone()));
        let lengths = requested.measures != LengthMeasures { corrected: false, means: false };
        let each = u64::from(request.each);
        let outputs = SampleOutputs {
            map,
            lengths,
            sink: (!on_host.0.is_empty()).then_some(&mut on_host as &mut dyn StreamlineSink),
            device_sink: (!counters.0.is_empty()).then_some(counters as _),
            part: Some(part.seeds.start as u64 * each..part.seeds.end as u64 * each),
        };
        job.step("track", || tracker.track(seeds, constraints, &request.options, outputs, &job.control()))
    }

    /// Divides the seeds into parts that are tracked one after the other. In network mode, each region is a
    /// part. In simple mode, each seed point is a part. In the other mode, all seeds are one part.
    fn parts(&self) -> Vec<Part> {
        let Self { request, seeds, .. } = self;
        match request.mode {
            Mode::Seeds => {
                let name = request.seed.display().to_string();
                vec![Part { name, seeds: 0..seeds.len(), region: None, point: None }]
            }
            Mode::Network => {
                let regions = seeds.regions().iter().zip(seeds.of_regions()).enumerate();
                let part = |(n, (roi, seeds)): (usize, (&Roi, Range<usize>))| Part {
                    name: roi.path.display().to_string(),
                    seeds,
                    region: Some(n),
                    point: None,
                };
                regions.map(part).collect()
            }
            Mode::Simple => {
                let part = |n: usize| {
                    let name = seeds.points()[n].words.join(" ");
                    Part { name, seeds: n..n + 1, region: None, point: Some(n) }
                };
                (0..seeds.len()).map(part).collect()
            }
        }
    }

    /// Returns the tracking constraints. In network mode, each half of a streamline must pass a region other
    /// than the region of its seed.
    fn constraints(&self, regions: &Regions, part: &Part) -> Result<Constraints> {
        let mapping = self.mappings.to_seeds.as_ref();
        let rules = &self.request.rules;
        let placed =
            |rois: &[Roi]| -> Result<Vec<Region>> { rois.iter().map(|roi| roi.region(mapping)).collect() };
        let is_network = part.region.is_some();
        let any = is_network || rules.condition == WaypointCondition::Any;
        let waypoints = match part.region {
            Some(own) => {
                let others = self.seeds.regions().iter().enumerate();
                let others = others.filter(|(n, roi)| *n != own && roi.len() > 0);
                others.map(|(_, roi)| roi.region(mapping)).collect::<Result<_>>()?
            }
            None => placed(&regions.waypoints)?,
        };
        Ok(Constraints {
            avoid: placed(&regions.avoid)?,
            stop: placed(&regions.stop)?,
            stop_on_exit: placed(&regions.stop_on_exit)?,
            waypoints,
            condition: if any { WaypointCondition::Any } else { WaypointCondition::All },
            in_order: rules.in_order && !is_network,
            one_way: rules.one_way || is_network,
            targets: Vec::new(),
            judged_by: ConstraintUnit::Half,
            anatomy: None,
        })
    }

    /// Creates the counters of all tables and matrices that are counted row by row.
    fn counted(&self, elements: &Elements, results: &Results<'_>) -> Result<CountedRows> {
        let Self { request, seeds, mappings, .. } = self;
        let (requested, to_seeds, each) = (&request.requested, mappings.to_seeds.as_ref(), request.each);
        let measures = requested.measures;
        let of_seeds = || RowsOfSeeds { each, of: None, count: seeds.len() };
        let targets = match &requested.targets {
            Some(targets) if targets.as_images || targets.as_text => {
                let met = rois::regions(&elements.targets, to_seeds)?;
                Some(Counted::table(met, of_seeds(), SeedElements::DoesNotCount, measures))
            }
            _ => None,
        };
        let network = match request.mode {
            Mode::Network => {
                let met = rois::regions(seeds.regions(), to_seeds)?;
                let ranges = seeds.of_regions().into_iter().enumerate();
                let of = ranges
                    .flat_map(|(n, range)| std::iter::repeat_n(narrow::<u32>(n), range.len()))
                    .collect();
                let rows = RowsOfSeeds { each, of: Some(of), count: seeds.regions().len() };
                Some(Counted::table(met, rows, SeedElements::NotItsOwn, measures))
            }
            Mode::Seeds | Mode::Simple => None,
        };
        let alternative = if elements.alternative.is_empty() {
            None
        } else {
            let met = rois::elements(&elements.alternative, to_seeds)?;
            let rows = RowsOfSeeds { each, of: Some(vec![0; seeds.len()]), count: 1 };
            Some(Counted::table(met, rows, SeedElements::Counts, measures))
        };
        let mut matrices = Vec::new();
        if let Some(least_mm) = requested.matrix1 {
            let met = rois::elements(seeds.regions(), to_seeds)?;
            let file = results.dot("fdt_matrix1", [seeds.len(); 2], false)?;
            let out = Rows::IntoFile(file);
            let counted = Counted::new(met, of_seeds(), SeedElements::NotItsOwn, measures, out);
            matrices.push(counted.of_at_least(least_mm));
        }
        if let Some(voxels) = &elements.target2 {
            let mut met = PassedElements::new(to_seeds.cloned());
            met.add_voxels_in_order(&voxels.grid, &voxels.numbers)?;
            let file = results.dot("fdt_matrix2", [seeds.len(), met.len()], false)?;
            let out = Rows::IntoFile(file);
            matrices.push(Counted::new(met, of_seeds(), SeedElements::Counts, measures, out));
        }
        Ok(CountedRows { targets, network, alternative, matrices })
    }
}

/// A part of the seeds whose streamlines are tracked together.
struct Part {
    name: String,
    seeds: Range<usize>,
    /// Index of the region, for a network.
    region: Option<usize>,
    /// Index of the seed point, in simple mode.
    point: Option<usize>,
}

struct CountedRows {
    targets: Option<Counted>,
    network: Option<Counted>,
    alternative: Option<Counted>,
    matrices: Vec<Counted>,
}

impl CountedRows {
    fn all(&mut self) -> impl Iterator<Item = &mut Counted> {
        let Self { targets, network, alternative, matrices } = self;
        targets.iter_mut().chain(network).chain(alternative).chain(matrices)
    }

    /// Completes the matrix files, and returns the tables that were counted in memory.
    fn finish(self) -> Result<Tables> {
        for matrix in self.matrices {
            if let Rows::IntoFile(file) = matrix.out {
                file.finish()?;
            }
        }
        let table = |counted: Option<Counted>| counted.and_then(Counted::into_table);
        Ok(Tables {
            targets: table(self.targets),
            network: table(self.network),
            alternative: table(self.alternative),
        })
    }
}
