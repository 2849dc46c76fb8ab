//! Paxos for one decision, all messages in one set, as examples/paxos.py has it.

use stateright::{Model, Property};
use std::collections::BTreeSet;

pub struct Paxos {
    pub acceptors: usize,
    pub values: usize,
    pub max_ballot: usize,
}

pub type Proposal = (usize, usize); // ballot and value

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Message {
    Prepare(usize),
    Promise { acceptor: usize, ballot: usize, vote: Option<Proposal> },
    Accept(Proposal),
    Accepted { acceptor: usize, proposal: Proposal },
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    promised: Vec<Option<usize>>,
    vote: Vec<Option<Proposal>>,
    sent: BTreeSet<Message>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    Prepare(usize),
    Promise(usize, usize),
    Propose(Proposal),
    Accept(usize, Proposal),
}

impl Paxos {
    /// Whether a quorum has promised for the ballot, and its highest vote, if there is one, is for the value.
    ///
    /// For an acceptor more promises than one may be in the set, of one ballot never: it promises each once.
    fn allows(&self, state: &State, (ballot, value): Proposal) -> bool {
        let promises: Vec<(usize, Option<Proposal>)> = state
            .sent
            .iter()
            .filter_map(|message| match *message {
                Message::Promise { acceptor, ballot: b, vote } if b == ballot => Some((acceptor, vote)),
                _ => None,
            })
            .collect();
        (0..1usize << promises.len()).any(|set| {
            let quorum: Vec<_> = (0..promises.len()).filter(|i| set >> i & 1 == 1).map(|i| promises[i]).collect();
            2 * quorum.len() > self.acceptors
                && quorum.iter().filter_map(|&(_, vote)| vote).max_by_key(|vote| vote.0).map_or(true, |vote| vote.1 == value)
        })
    }

    fn is_chosen(&self, state: &State, value: usize) -> bool {
        (0..=self.max_ballot).any(|ballot| {
            let has_voted = |acceptor: &usize| {
                state.sent.contains(&Message::Accepted { acceptor: *acceptor, proposal: (ballot, value) })
            };
            2 * (0..self.acceptors).filter(has_voted).count() > self.acceptors
        })
    }
}

impl Model for Paxos {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State {
            promised: vec![None; self.acceptors],
            vote: vec![None; self.acceptors],
            sent: BTreeSet::new(),
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        for ballot in 0..=self.max_ballot {
            actions.push(Action::Prepare(ballot));
            let is_new = !state.sent.iter().any(|m| matches!(m, Message::Accept((b, _)) if *b == ballot));
            for value in (0..self.values).filter(|_| is_new) {
                if self.allows(state, (ballot, value)) {
                    actions.push(Action::Propose((ballot, value)));
                }
            }
        }
        for message in &state.sent {
            for acceptor in 0..self.acceptors {
                match *message {
                    Message::Prepare(ballot) if state.promised[acceptor] < Some(ballot) => {
                        actions.push(Action::Promise(acceptor, ballot))
                    }
                    Message::Accept(proposal) if state.promised[acceptor] <= Some(proposal.0) => {
                        actions.push(Action::Accept(acceptor, proposal))
                    }
                    _ => {}
                }
            }
        }
    }

    fn next_state(&self, before: &State, action: Action) -> Option<State> {
        let mut state = before.clone();
        match action {
            Action::Prepare(ballot) => drop(state.sent.insert(Message::Prepare(ballot))),
            Action::Promise(acceptor, ballot) => {
                state.promised[acceptor] = Some(ballot);
                state.sent.insert(Message::Promise { acceptor, ballot, vote: state.vote[acceptor] });
            }
            Action::Propose(proposal) => drop(state.sent.insert(Message::Accept(proposal))),
            Action::Accept(acceptor, proposal) => {
                state.promised[acceptor] = Some(proposal.0);
                state.vote[acceptor] = Some(proposal);
                state.sent.insert(Message::Accepted { acceptor, proposal });
            }
        }
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("one value is chosen", |model: &Paxos, state: &State| {
            (0..model.values).filter(|&value| model.is_chosen(state, value)).count() <= 1
        })]
    }
}
