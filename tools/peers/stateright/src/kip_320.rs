//! Kafka's replication as KIP-320 proposes it, as model/isrmodel/published/kip_320.py has it.

use stateright::{Model, Property};

pub struct Kip320 {
    pub replicas: usize,
    pub log_size: usize,
    pub max_records: usize,
    pub max_epoch: usize,
}

pub type Isr = u8; // a bit for each replica

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Record {
    id: u8,
    epoch: u8,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Replica {
    log: Vec<Record>,
    hw: usize,
    leader_epoch: Option<u8>,
    leader: Option<usize>,
    isr: Isr,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Request {
    leader: Option<usize>,
    isr: Isr,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    replicas: Vec<Replica>,
    quorum_epoch: Option<u8>,
    quorum_leader: Option<usize>,
    quorum_isr: Isr,
    requests: Vec<Request>,
    next_record_id: u8,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    ControllerElects(usize),
    ControllerShrinks(usize),
    BecomeLeader { leader: usize, epoch: usize },
    Expand { leader: usize, replica: usize },
    Shrink { leader: usize, replica: usize },
    Write(usize),
    AdvanceHighWatermark(usize),
    BecomeFollower { follower: usize, leader: usize, epoch: usize },
    Replicate { follower: usize, leader: usize },
}

impl State {
    fn presumes(&self, replica: usize) -> bool {
        self.replicas[replica].leader == Some(replica)
    }

    fn follows(&self, follower: usize, leader: usize) -> bool {
        self.replicas[follower].leader == Some(leader)
    }

    fn shares_epoch(&self, one: usize, other: usize) -> bool {
        self.replicas[one].leader_epoch == self.replicas[other].leader_epoch
    }

    fn is_true_leader(&self, leader: usize) -> bool {
        self.quorum_leader == Some(leader)
            && self.presumes(leader)
            && self.replicas[leader].leader_epoch == self.quorum_epoch
    }

    fn is_news(&self, epoch: usize, replica: usize) -> bool {
        self.replicas[replica].leader_epoch < Some(epoch as u8)
    }

    fn may_join(&self, follower: usize, leader: usize) -> bool {
        let (hw, log) = (self.replicas[leader].hw, &self.replicas[leader].log);
        let reached = hw == log.len() || Some(log[hw].epoch) == self.replicas[leader].leader_epoch;
        self.shares_epoch(follower, leader) && hw <= self.replicas[follower].log.len() && reached
    }

    fn keeps_up(&self, follower: usize, leader: usize) -> bool {
        self.shares_epoch(follower, leader) && self.replicas[leader].log.len() <= self.replicas[follower].log.len()
    }

    fn acknowledges(&self, follower: usize, leader: usize) -> bool {
        self.shares_epoch(follower, leader) && self.replicas[leader].hw < self.replicas[follower].log.len()
    }

    fn agree_up_to(&self, one: usize, other: usize, end: usize) -> bool {
        let (one, other) = (&self.replicas[one].log, &self.replicas[other].log);
        one[..end.min(one.len())] == other[..end.min(other.len())]
    }

    fn begin_epoch(&mut self, leader: Option<usize>, isr: Isr) {
        self.quorum_epoch = Some(self.requests.len() as u8);
        self.requests.push(Request { leader, isr });
        self.quorum_leader = leader;
        self.quorum_isr = isr;
    }

    fn record_isr(&mut self, leader: usize, isr: Isr) {
        self.quorum_isr = isr;
        self.replicas[leader].isr = isr;
    }
}

impl Kip320 {
    fn members(&self, isr: Isr) -> impl Iterator<Item = usize> {
        (0..self.replicas).filter(move |replica| isr >> replica & 1 == 1)
    }

    fn push_controller(&self, state: &State, actions: &mut Vec<Action>) {
        if state.requests.len() > self.max_epoch {
            return;
        }
        for replica in 0..self.replicas {
            let is_member = state.quorum_isr >> replica & 1 == 1;
            if is_member && state.quorum_leader != Some(replica) {
                actions.push(Action::ControllerElects(replica));
            }
            if is_member || state.quorum_leader == Some(replica) {
                actions.push(Action::ControllerShrinks(replica));
            }
        }
    }

    fn push_leader(&self, state: &State, leader: usize, actions: &mut Vec<Action>) {
        let replica = &state.replicas[leader];
        if replica.log.len() < self.log_size && (state.next_record_id as usize) < self.max_records {
            actions.push(Action::Write(leader));
        }
        if self.members(replica.isr).all(|r| state.follows(r, leader) && state.acknowledges(r, leader))
            && replica.hw < self.log_size
        {
            actions.push(Action::AdvanceHighWatermark(leader));
        }
        for other in 0..self.replicas {
            let is_member = replica.isr >> other & 1 == 1;
            let follows = state.follows(other, leader);
            if state.is_true_leader(leader) {
                if !is_member && follows && state.may_join(other, leader) {
                    actions.push(Action::Expand { leader, replica: other });
                }
                if is_member && other != leader && !(follows && state.keeps_up(other, leader)) {
                    actions.push(Action::Shrink { leader, replica: other });
                }
            }
            if follows && state.replicas[other].log.len() < replica.log.len() && state.shares_epoch(other, leader) {
                actions.push(Action::Replicate { follower: other, leader });
            }
        }
    }
}

impl Model for Kip320 {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let replica = Replica { log: vec![], hw: 0, leader_epoch: None, leader: None, isr: 0 };
        vec![State {
            replicas: vec![replica; self.replicas],
            quorum_epoch: None,
            quorum_leader: None,
            quorum_isr: (1 << self.replicas) - 1,
            requests: vec![],
            next_record_id: 0,
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        self.push_controller(state, actions);
        for leader in (0..self.replicas).filter(|&replica| state.presumes(replica)) {
            self.push_leader(state, leader, actions);
        }
        for (epoch, request) in state.requests.iter().enumerate() {
            let Some(leader) = request.leader else { continue };
            if state.is_news(epoch, leader) {
                actions.push(Action::BecomeLeader { leader, epoch });
            }
            if state.presumes(leader) && state.replicas[leader].leader_epoch == Some(epoch as u8) {
                for follower in (0..self.replicas).filter(|&f| f != leader && state.is_news(epoch, f)) {
                    actions.push(Action::BecomeFollower { follower, leader, epoch });
                }
            }
        }
    }

    fn next_state(&self, before: &State, action: Action) -> Option<State> {
        let mut state = before.clone();
        match action {
            Action::ControllerElects(replica) => state.begin_epoch(Some(replica), before.quorum_isr),
            Action::ControllerShrinks(replica) => {
                let others = before.quorum_isr & !(1 << replica);
                if before.quorum_leader != Some(replica) {
                    state.begin_epoch(before.quorum_leader, others);
                } else {
                    state.begin_epoch(None, if others == 0 { before.quorum_isr } else { others });
                }
            }
            Action::BecomeLeader { leader, epoch } => {
                let replica = &mut state.replicas[leader];
                replica.leader_epoch = Some(epoch as u8);
                replica.leader = Some(leader);
                replica.isr = before.requests[epoch].isr;
            }
            Action::Expand { leader, replica } => {
                state.record_isr(leader, before.replicas[leader].isr | 1 << replica)
            }
            Action::Shrink { leader, replica } => {
                state.record_isr(leader, before.replicas[leader].isr & !(1 << replica))
            }
            Action::Write(leader) => {
                let epoch = before.replicas[leader].leader_epoch.unwrap_or(0);
                state.replicas[leader].log.push(Record { id: before.next_record_id, epoch });
                state.next_record_id += 1;
            }
            Action::AdvanceHighWatermark(leader) => state.replicas[leader].hw += 1,
            Action::BecomeFollower { follower, leader, epoch } => {
                let pairs = before.replicas[follower].log.iter().zip(&before.replicas[leader].log);
                let agreed = pairs.enumerate().filter(|(_, (a, b))| a == b).map(|(o, _)| o + 1).max().unwrap_or(0);
                let replica = &mut state.replicas[follower];
                replica.log.truncate(agreed);
                replica.hw = replica.hw.min(agreed);
                replica.leader_epoch = Some(epoch as u8);
                replica.leader = Some(leader);
                replica.isr = before.requests[epoch].isr;
            }
            Action::Replicate { follower, leader } => {
                let source = &before.replicas[leader];
                let replica = &mut state.replicas[follower];
                let end = replica.log.len();
                replica.log.push(source.log[end]);
                replica.hw = source.hw.min(end + 1);
            }
        }
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("weak isr", |model: &Kip320, state: &State| {
                (0..model.replicas).filter(|&leader| state.presumes(leader)).all(|leader| {
                    let replica = &state.replicas[leader];
                    model.members(replica.isr).all(|r| state.agree_up_to(r, leader, replica.hw))
                })
            }),
            Property::always("strong isr", |model: &Kip320, state: &State| {
                (0..model.replicas).filter(|&leader| state.presumes(leader)).all(|leader| {
                    let hw = state.replicas[leader].hw;
                    model.members(state.quorum_isr).all(|r| state.agree_up_to(r, leader, hw))
                })
            }),
            Property::always("leader in isr", |_, state: &State| {
                state.quorum_leader.map_or(true, |leader| state.quorum_isr >> leader & 1 == 1)
            }),
            Property::always("log matching", |model: &Kip320, state: &State| {
                (0..model.replicas).all(|a| {
                    (0..a).all(|b| state.agree_up_to(a, b, state.replicas[a].hw.min(state.replicas[b].hw)))
                })
            }),
        ]
    }
}
