//! Protocol 0: what there is to do, asked for in one order; and how work is handed out (RM-04, RM-05).

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::decide::Step;
use super::fact::{Ended, Fact};
use super::input::Effect;
use super::item::Rest;
use super::limits::Limits;
use super::state::{Attempt, Integration, Session};
use super::words::{Over, Status, Why, Work};
use crate::run::Holder;

/// What a step of Protocol 0 says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Next {
    /// Nothing here: ask the next one.
    Pass,
    /// This is to be done, before all that comes after.
    Take(Work),
    /// Something here is under way, or rests: nothing that comes after may be begun.
    Wait,
}

/// The steps of Protocol 0, in their order. Each is asked only when those before it pass.
const PROTOCOL_0: [fn(&mut Step<'_>) -> Next; 5] = [
    |step| step.stale_locks(),
    |step| blocked_items(&step.session, step.limits),
    |step| user_replies(&step.session),
    |step| plan_alignment(&step.session),
    |step| selection(&step.session, step.limits),
];

/// Second: items with something in their way, and failed ones, are planned around; others go on meanwhile.
fn blocked_items(session: &Session, limits: &Limits) -> Next {
    match session.pool.troubled().filter(|item| item.replanned < limits.replanned) {
        Some(item) if !is_planning(session) => {
            let key = item.key.clone();
            let why = if item.status == Status::Failed { Why::Failed(key) } else { Why::Blocked(key) };
            Next::Take(Work::Plan(why))
        }
        Some(_) | None => Next::Pass,
    }
}

/// Third: what people answered. Nothing new is begun before it is taken up.
fn user_replies(session: &Session) -> Next {
    match session.reply() {
        Some(_) if is_planning(session) => Next::Wait,
        Some(question) => Next::Take(Work::Plan(Why::Reply(question.id.clone()))),
        None => Next::Pass,
    }
}

/// Fourth: a roadmap for the goal as it is now. Nothing new is begun before there is one.
fn plan_alignment(session: &Session) -> Next {
    match (session.is_misaligned(), is_planning(session)) {
        (true, true) => Next::Wait,
        (true, false) => Next::Take(Work::Plan(Why::Misaligned)),
        (false, _) => Next::Pass,
    }
}

/// Fifth: the first item that is free.
fn selection(session: &Session, limits: &Limits) -> Next {
    match session.pool.selected(limits.looked_at) {
        Some(item) => Next::Take(Work::Do(item.key.clone())),
        None => Next::Pass,
    }
}

/// There is one planner at a time, and it may rest.
fn is_planning(session: &Session) -> bool {
    session.planner().is_some() || session.planning_rest.is_some()
}

impl Session {
    /// What an opening with a free hand would be given; nothing if it has to wait. Stale locks aside: of them only a
    /// decision knows.
    pub fn next_work(&self, limits: &Limits) -> Option<Work> {
        if self.over.is_some() || self.paused.is_some() {
            return None;
        }
        let steps: [&dyn Fn() -> Next; 4] =
            [&|| blocked_items(self, limits), &|| user_replies(self), &|| plan_alignment(self), &|| {
                selection(self, limits)
            }];
        for step in steps {
            match step() {
                Next::Pass => {}
                Next::Take(work) => return Some(work),
                Next::Wait => return None,
            }
        }
        None
    }

    /// Whether something is to be integrated, and nobody does it.
    pub fn next_integration(&self) -> Option<&Integration> {
        let next = self.integration().filter(|one| one.rest.is_none())?;
        self.pool.item(&next.item).filter(|item| item.holder.is_none()).map(|_| next)
    }

    /// Whether a decision would do more than wait, for an opening that takes work: give it something, with or without a
    /// free hand, or find that the session is over.
    pub fn has_work(&self, opening: &str, limits: &Limits) -> bool {
        let is_taking = self.members.get(opening).is_some_and(|member| !member.is_leaving);
        let is_open = self.over.is_none() && self.paused.is_none();
        is_taking
            && is_open
            && (self.next_integration().is_some() || self.next_work(limits).is_some() || is_still(self, limits))
    }
}

impl Step<'_> {
    /// Hands out what this opening can take, and sees whether the session is over.
    pub(super) fn advance(&mut self) {
        let Some(member) = self.session.members.get(self.world.me).filter(|_| self.session.over.is_none()) else {
            return;
        };
        let is_leaving = member.is_leaving;
        self.stale_locks();
        self.wake();
        if self.session.paused.is_some() {
            return;
        }
        if is_leaving {
            if self.session.held_by(self.world.me) == 0 {
                let reason = "it ended for want of work".into();
                self.fact(Fact::Left { opening: self.world.me.into(), reason });
            }
            return;
        }
        self.integrate();
        while self.free > 0
            && let Some(work) = self.triage()
        {
            self.assign(work);
            self.free -= 1;
        }
        self.conclude();
    }

    /// What there is to do now for one more hand.
    fn triage(&mut self) -> Option<Work> {
        for step in PROTOCOL_0 {
            match step(self) {
                Next::Pass => {}
                Next::Take(work) => return Some(work),
                Next::Wait => return None,
            }
        }
        None
    }

    /// First: what openings had that are gone, stopped or silent can be taken again. One that lives keeps what it has,
    /// however slow it is.
    fn stale_locks(&mut self) -> Next {
        let me = self.world.me;
        let attempts: Vec<(Attempt, &str)> =
            self.session.attempts.iter().filter_map(|(_, one)| self.stale(one)).collect();
        for (attempt, reason) in attempts {
            self.release(&attempt, Ended::TakenOver(reason.into()));
            self.mind_lost(&attempt, reason);
        }
        let members = self.session.members.iter().map(|(opening, _)| opening);
        let gone: Vec<String> = members.filter(|one| *one != me && !self.world.alive.contains(*one)).cloned().collect();
        for opening in gone {
            self.fact(Fact::Left { opening, reason: "its process is gone".into() });
        }
        Next::Pass
    }

    fn stale(&self, attempt: &Attempt) -> Option<(Attempt, &'static str)> {
        let Holder::Process(opening) = &attempt.holder else { return None };
        if opening == self.world.me {
            return None;
        }
        if !self.world.alive.contains(opening) {
            return Some((attempt.clone(), "its process is gone"));
        }
        let is_stopped = self.world.stopped.contains(opening);
        is_stopped.then(|| (attempt.clone(), "its process is stopped, or was not heard for three lease times"))
    }

    /// By code, one at a time, in the order of reports; it takes no hand.
    fn integrate(&mut self) {
        if let Some(item) = self.session.next_integration().map(|one| one.item.clone()) {
            self.assign(Work::Integrate(item));
        }
    }

    fn assign(&mut self, work: Work) {
        let session = &self.session;
        let fence = session.fence.saturating_add(1);
        let name = session.members.get(self.world.me).map(|member| member.name.clone()).unwrap_or_default();
        let is_person = work.part().is_some_and(|part| self.world.people.contains(&part));
        let holder = if is_person { Holder::Person } else { Holder::Process(self.world.me.into()) };
        let tries = match &work {
            Work::Plan(_) => Some(&session.planning),
            Work::Do(item) => session.pool.item(item).map(|item| &item.tries),
            Work::Integrate(_) => session.integration().map(|one| &one.tries),
        };
        let basis = match &work {
            Work::Plan(Why::Misaligned) => session.goal.clone(),
            Work::Plan(Why::Reply(question)) => {
                session.questions.get(question).and_then(|question| question.answer.clone()).unwrap_or_default()
            }
            Work::Plan(Why::Blocked(_) | Why::Failed(_)) | Work::Do(_) | Work::Integrate(_) => String::new(),
        };
        let attempt = Attempt {
            fence,
            executor: format!("{name}-{}", (self.world.uuid)(self.world.me, fence)),
            name,
            holder,
            opening: self.world.me.into(),
            since: self.world.now.into(),
            number: tries.map_or(1, |tries| tries.attempts.saturating_add(1)),
            problems: tries.map(|tries| tries.problems.clone()).unwrap_or_default(),
            basis,
            noted: None,
            work,
        };
        self.fact(Fact::Assigned(attempt));
        self.effect(Effect::Start(fence));
    }

    /// What was put off goes on when its time has come. A clock that went back is no reason to wait longer.
    fn wake(&mut self) {
        let now = self.world.now;
        let is_time = |rest: &Rest| now < rest.since.as_str() || now >= rest.until.as_str();
        if self.session.planning_rest.as_ref().is_some_and(is_time) {
            self.fact(Fact::Woke { item: None });
        }
        let waits = self.session.integration().filter(|one| one.rest.as_ref().is_some_and(is_time));
        if let Some(item) = waits.map(|one| one.item.clone()) {
            self.fact(Fact::Woke { item: Some(item) });
        }
        while self.session.pool.first_rest().is_some_and(is_time)
            && let Some(item) = self.session.pool.first_resting().map(String::from)
        {
            self.fact(Fact::Woke { item: Some(item) });
        }
    }

    /// The session is over when all of it is done, or when nothing can run and nobody works.
    fn conclude(&mut self) {
        if self.session.over.is_some() || !is_still(&self.session, self.limits) {
            return;
        }
        let counts = self.session.pool.counts();
        if counts.is_complete() {
            let mut reason = format!("all {} effective items are completed", counts.effective());
            if let Some(period) = self.session.period {
                let next = period.next_after(self.world.now);
                reason = format!("{reason}; the work of {} is done, and due again at {next}", self.session.period_key);
            }
            return self.finish(Over::Done, reason);
        }
        let open = counts.effective() - counts.completed;
        let reason = format!("{open} of {} effective items wait for something that will not come", counts.effective());
        self.finish(Over::Deadlock, reason);
    }
}

/// Whether nobody works, nothing waits for a time, and there is nothing to plan and nothing to take.
fn is_still(session: &Session, limits: &Limits) -> bool {
    session.attempts.is_empty()
        && session.integrations.is_empty()
        && session.rest().is_none()
        && session.paused.is_none()
        && session.next_work(limits).is_none()
}
