//! Readers and writers who are served in turn, as examples/readers_writers.py has it.

use stateright::{Model, Property};
use std::collections::{BTreeSet, VecDeque};

pub struct ReadersWriters {
    pub actors: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Request {
    Read(usize),
    Write(usize),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    readers: BTreeSet<usize>,
    writers: BTreeSet<usize>,
    waiting: VecDeque<Request>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    Ask(Request),
    Begin,
    End(usize),
}

impl Model for ReadersWriters {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State { readers: BTreeSet::new(), writers: BTreeSet::new(), waiting: VecDeque::new() }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        for actor in 0..self.actors {
            for request in [Request::Read(actor), Request::Write(actor)] {
                if !state.waiting.contains(&request) {
                    actions.push(Action::Ask(request));
                }
            }
            if state.readers.contains(&actor) || state.writers.contains(&actor) {
                actions.push(Action::End(actor));
            }
        }
        if state.writers.is_empty() {
            match state.waiting.front() {
                Some(Request::Read(_)) => actions.push(Action::Begin),
                Some(Request::Write(_)) if state.readers.is_empty() => actions.push(Action::Begin),
                _ => {}
            }
        }
    }

    fn next_state(&self, before: &State, action: Action) -> Option<State> {
        let mut state = before.clone();
        match action {
            Action::Ask(request) => state.waiting.push_back(request),
            Action::Begin => match state.waiting.pop_front()? {
                Request::Read(actor) => drop(state.readers.insert(actor)),
                Request::Write(actor) => drop(state.writers.insert(actor)),
            },
            Action::End(actor) => {
                state.readers.remove(&actor);
                state.writers.remove(&actor);
            }
        }
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("nobody reads what is being written", |_, state: &State| {
                state.readers.is_empty() || state.writers.is_empty()
            }),
            Property::always("one writer at most", |_, state: &State| state.writers.len() <= 1),
        ]
    }
}
