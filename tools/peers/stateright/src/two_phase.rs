//! Two-phase commit, as examples/two_phase.py has it.

use stateright::{Model, Property};
use std::collections::BTreeSet;

pub struct TwoPhase {
    pub rms: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RmState {
    Working,
    Prepared,
    Committed,
    Aborted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TmState {
    Undecided,
    Committed,
    Aborted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Message {
    Prepared(usize),
    Commit,
    Abort,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    rms: Vec<RmState>,
    manager: TmState,
    prepared: Vec<bool>,
    sent: BTreeSet<Message>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    Prepare(usize),
    GiveUp(usize),
    Learn(usize),
    DecideToCommit,
    DecideToAbort,
    ObeyCommit(usize),
    ObeyAbort(usize),
}

impl Model for TwoPhase {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State {
            rms: vec![RmState::Working; self.rms],
            manager: TmState::Undecided,
            prepared: vec![false; self.rms],
            sent: BTreeSet::new(),
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        let undecided = state.manager == TmState::Undecided;
        if undecided {
            actions.push(Action::DecideToAbort);
            if state.prepared.iter().all(|&prepared| prepared) {
                actions.push(Action::DecideToCommit);
            }
        }
        for rm in 0..self.rms {
            if state.rms[rm] == RmState::Working {
                actions.push(Action::Prepare(rm));
                actions.push(Action::GiveUp(rm));
            }
            if undecided && state.sent.contains(&Message::Prepared(rm)) {
                actions.push(Action::Learn(rm));
            }
            if state.sent.contains(&Message::Commit) {
                actions.push(Action::ObeyCommit(rm));
            }
            if state.sent.contains(&Message::Abort) {
                actions.push(Action::ObeyAbort(rm));
            }
        }
    }

    fn next_state(&self, before: &State, action: Action) -> Option<State> {
        let mut state = before.clone();
        match action {
            Action::Prepare(rm) => {
                state.rms[rm] = RmState::Prepared;
                state.sent.insert(Message::Prepared(rm));
            }
            Action::GiveUp(rm) => state.rms[rm] = RmState::Aborted,
            Action::Learn(rm) => state.prepared[rm] = true,
            Action::DecideToCommit => {
                state.manager = TmState::Committed;
                state.sent.insert(Message::Commit);
            }
            Action::DecideToAbort => {
                state.manager = TmState::Aborted;
                state.sent.insert(Message::Abort);
            }
            Action::ObeyCommit(rm) => state.rms[rm] = RmState::Committed,
            Action::ObeyAbort(rm) => state.rms[rm] = RmState::Aborted,
        }
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("consistent", |_, state: &State| {
            !(state.rms.contains(&RmState::Committed) && state.rms.contains(&RmState::Aborted))
        })]
    }
}
