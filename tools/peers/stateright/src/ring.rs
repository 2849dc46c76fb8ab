//! Chang and Roberts' election on a ring, as examples/chang_roberts.py has it.

use stateright::{Model, Property};
use std::collections::BTreeSet;

pub struct Ring {
    pub nodes: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Standing {
    Candidate,
    Lost,
    Won,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    wants: Vec<bool>,
    started: Vec<bool>,
    standing: Vec<Standing>,
    inbox: Vec<BTreeSet<usize>>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    Begin(usize),
    Receive(usize, usize),
}

impl Model for Ring {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        (0..1usize << self.nodes)
            .map(|set| {
                let wants: Vec<bool> = (0..self.nodes).map(|node| set >> node & 1 == 1).collect();
                State {
                    standing: wants.iter().map(|&w| if w { Standing::Candidate } else { Standing::Lost }).collect(),
                    wants,
                    started: vec![false; self.nodes],
                    inbox: vec![BTreeSet::new(); self.nodes],
                }
            })
            .collect()
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        for node in 0..self.nodes {
            if !state.started[node] {
                actions.push(Action::Begin(node));
            } else {
                actions.extend(state.inbox[node].iter().map(|&identity| Action::Receive(node, identity)));
            }
        }
    }

    fn next_state(&self, before: &State, action: Action) -> Option<State> {
        let mut state = before.clone();
        match action {
            Action::Begin(node) => {
                state.started[node] = true;
                if state.wants[node] {
                    state.inbox[(node + 1) % self.nodes].insert(node);
                }
            }
            Action::Receive(node, identity) => {
                state.inbox[node].remove(&identity);
                if state.standing[node] == Standing::Lost || identity < node {
                    state.standing[node] = Standing::Lost;
                    state.inbox[(node + 1) % self.nodes].insert(identity);
                } else if identity == node {
                    state.standing[node] = Standing::Won;
                }
            }
        }
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("smallest candidate wins", |model: &Ring, state: &State| {
            (0..model.nodes).filter(|&node| state.standing[node] == Standing::Won).all(|winner| {
                state.wants[winner]
                    && (0..model.nodes).all(|n| n == winner || state.standing[n] == Standing::Lost)
                    && !state.wants[..winner].contains(&true)
            })
        })]
    }
}
