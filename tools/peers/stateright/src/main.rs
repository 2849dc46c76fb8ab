//! The peers' models in Stateright: `peers MODEL SIZE... THREADS` prints what one complete search counts.

mod filter_lock;
mod kip_320;
mod paxos;
mod readers_writers;
mod ring;
mod two_phase;

use stateright::{Checker, Model};
use std::hash::Hash;
use std::time::Instant;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (model, numbers) = words.split_first().expect("MODEL SIZE... THREADS");
    let numbers: Vec<usize> = numbers.iter().map(|word| word.parse().expect("a number")).collect();
    let (&threads, size) = numbers.split_last().expect("THREADS");
    match (model.as_str(), size) {
        ("two-phase", &[rms]) => search(two_phase::TwoPhase { rms }, threads),
        ("paxos", &[acceptors, values, max_ballot]) => search(paxos::Paxos { acceptors, values, max_ballot }, threads),
        ("filter-lock", &[processes]) => search(filter_lock::FilterLock { processes }, threads),
        ("ring", &[nodes]) => search(ring::Ring { nodes }, threads),
        ("readers-writers", &[actors]) => search(readers_writers::ReadersWriters { actors }, threads),
        ("kip-320", &[replicas, log_size, max_records, max_epoch]) => {
            search(kip_320::Kip320 { replicas, log_size, max_records, max_epoch }, threads)
        }
        _ => panic!("no model {model} of this size"),
    }
}

fn search<M>(model: M, threads: usize)
where
    M: Model + Send + Sync + 'static,
    M::State: Clone + Hash + Send + Sync + std::fmt::Debug + PartialEq,
    M::Action: Clone + Send + Sync + std::fmt::Debug + PartialEq,
{
    let start = Instant::now();
    let checker = model.checker().threads(threads).spawn_bfs().join();
    let seconds = start.elapsed().as_secs_f64();
    let violated: Vec<_> = checker.discoveries().into_keys().collect();
    println!(
        "distinct={} generated={} depth={} seconds={seconds:.3} violated={violated:?}",
        checker.unique_state_count(),
        checker.state_count(),
        checker.max_depth(),
    );
}
