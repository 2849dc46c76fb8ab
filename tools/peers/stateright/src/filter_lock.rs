//! Peterson's filter lock for several processes, as tools/peers/models.py has it.

use stateright::{Model, Property};

pub struct FilterLock {
    pub processes: usize,
}

/// Where a process is at its level: about to write itself down as the last to come, or waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    Idle,
    Arrives,
    Waits,
    Critical,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    level: Vec<u8>,
    step: Vec<Step>,
    last: Vec<u8>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    Begin(usize),
    Arrive(usize),
    Rise(usize),
    Leave(usize),
}

impl Model for FilterLock {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let n = self.processes;
        vec![State { level: vec![0; n], step: vec![Step::Idle; n], last: vec![0; n] }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        for p in 0..self.processes {
            match state.step[p] {
                Step::Idle => actions.push(Action::Begin(p)),
                Step::Arrives => actions.push(Action::Arrive(p)),
                Step::Waits => {
                    let level = state.level[p];
                    let alone = (0..self.processes).all(|q| q == p || state.level[q] < level);
                    if alone || state.last[level as usize] as usize != p {
                        actions.push(Action::Rise(p));
                    }
                }
                Step::Critical => actions.push(Action::Leave(p)),
            }
        }
    }

    fn next_state(&self, before: &State, action: Action) -> Option<State> {
        let mut state = before.clone();
        match action {
            Action::Begin(p) => {
                state.level[p] = 1;
                state.step[p] = Step::Arrives;
            }
            Action::Arrive(p) => {
                state.last[state.level[p] as usize] = p as u8;
                state.step[p] = Step::Waits;
            }
            Action::Rise(p) if (state.level[p] as usize) < self.processes - 1 => {
                state.level[p] += 1;
                state.step[p] = Step::Arrives;
            }
            Action::Rise(p) => state.step[p] = Step::Critical,
            Action::Leave(p) => {
                state.level[p] = 0;
                state.step[p] = Step::Idle;
            }
        }
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("one at a time", |_, state: &State| {
            state.step.iter().filter(|&&step| step == Step::Critical).count() <= 1
        })]
    }
}
