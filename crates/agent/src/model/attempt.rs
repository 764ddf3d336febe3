//! Owns one brief's conversation with a model: what is asked, turn after turn, until there is a report, within the limits of
//! the brief. Must not know wires, nor what becomes of the report.

use std::cell::{Cell, RefCell};
use std::fmt::Write as _;
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};
use tools::{Stop, ToolAnswer, ToolCall, Toolbox};

use super::Model;
use super::answer::answer_schema;
use super::calls::{Calls, call_alone, call_in_text, content_of, shown};
use super::client::Client;
use super::extract::{Found, found_in, without_thoughts};
use super::fault::CallFault;
use super::guided::guided;
use super::judged::{Judged, Plain, checked, first_words, judge};
use super::mend::report_of;
use super::message::{Answer, Answered, Call, Finish, Message, REPORT_TOOL, Request, Said, Turn};
use super::name::Service;
use super::patience::{seed_of, time_of_day, wait_before};
use super::price::Totals;
use super::room::{form_of, room};
use super::select::{Selection, select};
use super::settings::ModelSettings;
use super::steps::Steps;
use super::tape::{Began, Called, Kept};
use crate::backend::{Ending, Job};
use crate::contract::{Report, ReportStatus};
use crate::limits::OutputLimits;
use crate::outputs::collect_outputs;
use crate::prompt::{Form, Rendered, Tools};
use crate::roadmap;
use crate::words::{quote, quote_lines};

/// How often a model may mend its answer.
const REPAIRS: u32 = 3;
/// How often what is asked is made shorter because it is too long.
const SHORTER: u32 = 3;
/// The most of an answer that is shown to the model again, in characters.
const SHOWN_AGAIN: usize = 4000;
/// The longest log of an attempt, in bytes.
const LOG: usize = 256 << 10;
/// How often a line of progress about thinking is said.
const SAY_EVERY: Duration = Duration::from_secs(2);
/// The temperature of small models, where none is set.
const CALM: f64 = 0.2;
/// How long nothing is tried when trying again did not help.
const LATER: Duration = Duration::from_secs(120);

pub(super) struct Attempt<'a> {
    model: &'a Model,
    job: &'a Job,
    stop: &'a Stop,
    say: &'a dyn Fn(&str),
    client: Client<'a>,
    calls: Calls<'a>,
    plan: Plan,
    rendered: Rendered,
    messages: Vec<Message>,
    totals: Totals,
    log: RefCell<String>,
    said_at: Cell<Option<Instant>>,
}

/// How this model is asked, as far as it turned out until now.
#[derive(Debug, Clone)]
struct Plan {
    form: Form,
    binding: Binding,
    with_tools: bool,
    schema: Option<Value>,
    max_output_tokens: u32,
    temperature: Option<f64>,
    files_tokens: u64,
    shortened: u32,
}

/// How the form of an answer is bound; each is tried when the one before is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Binding {
    Schema,
    Call,
    Free,
}

/// An attempt that ends without a report of the model.
enum Ended {
    Stopped,
    Later(Duration, String),
    Failed(String),
    Broken(Vec<String>, String),
    /// A person must answer first.
    Asks(String),
}

impl<'a> Attempt<'a> {
    pub(super) fn new(
        model: &'a Model,
        job: &'a Job,
        stop: &'a Stop,
        say: &'a dyn Fn(&str),
        toolbox: &'a dyn Toolbox,
    ) -> Result<Self, String> {
        let settings = &model.settings;
        let time = match job.brief.limits.seconds {
            0 => settings.timeouts.whole,
            seconds => Duration::from_secs(seconds),
        };
        let client = Client::new(settings, stop, Instant::now() + time)?.playing(model.tape.as_deref());
        let calls = Calls::new(toolbox, settings.parallel_calls);
        // Who does an item of a roadmap, or takes a turn of a cycle, has more to say than a result or the text of a file.
        let needs_report = job.brief.action == roadmap::DO || job.brief.protocol == "cycle";
        let form = if needs_report { Form::Report } else { form_of(model, &client) };
        // A small model plans best when nothing but a plan can come: tools would unbind its answer, and cost it minutes.
        let may_call = form == Form::Report || job.brief.standing() == "executor";
        let has_tools = may_call && !calls.tools().is_empty();
        let tools = if has_tools { Tools::Offered } else { Tools::None };
        let mut rendered = model.prompts.render(&job.brief, form, tools);
        rendered.user.push_str(&Steps::of(&job.brief).opening().unwrap_or_default());
        let mut log = String::new();
        if let Some((text, record)) = guided(job, form, tools) {
            rendered.system.push_str(&text);
            let _ = writeln!(log, "{record}");
        }
        for problem in toolbox.problems() {
            say(&problem);
            let _ = writeln!(log, "{problem}");
        }
        let schema = answer_schema(&job.brief, form);
        let max_output_tokens = match (settings.max_output_tokens, form) {
            (0, Form::Report) => 8192,
            (0, Form::Simple) => 1024,
            (set, _) => set,
        };
        let mut plan = Plan {
            form,
            binding: if schema.is_some() { Binding::Schema } else { Binding::Free },
            with_tools: has_tools,
            schema,
            max_output_tokens,
            // A small model that may choose freely loses its way.
            temperature: settings.temperature.or((form == Form::Simple).then_some(CALM)),
            files_tokens: 0,
            shortened: 0,
        };
        let offered = if has_tools { calls.tools() } else { &[] };
        plan.files_tokens = room(model, form, max_output_tokens, plan.schema.as_ref(), &rendered, offered);
        if let Some(recorder) = &model.recorder {
            let began = Began::of(settings, form == Form::Simple, model.served.get(), calls.tools());
            recorder(job, &Kept::Began(began));
        }
        Ok(Self {
            model,
            job,
            stop,
            say,
            client,
            calls,
            plan,
            rendered,
            messages: Vec::new(),
            totals: Totals::default(),
            log: RefCell::new(log),
            said_at: Cell::new(None),
        })
    }

    /// Works until there is a report, or none can be had.
    pub(super) fn run(mut self) -> Ending {
        let ended = self.converse();
        let price = self.settings().price;
        let usage = self.totals.usage(price.as_ref());
        if price.is_none() {
            self.note("the price of this model is not known, and so is the cost: name it in prices.json");
        }
        self.note(&json!({"usage": usage, "calls": self.totals.calls, "prompt": self.rendered.template, "digest": self.rendered.digest}).to_string());
        let log = self.log.take();
        match ended {
            Ok(mut report) => {
                report.usage = Some(usage);
                Ending::Report { report, log }
            }
            Err(Ended::Stopped) => Ending::Stopped,
            Err(Ended::Later(wait, reason)) => Ending::Later { seconds: wait.as_secs().max(1), reason },
            Err(Ended::Broken(problems, said)) => Ending::Broken { problems, said, log },
            Err(Ended::Asks(question)) => {
                let report = Report { usage: Some(usage), ..Report::question(&question) };
                Ending::Report { report, log }
            }
            // What it cost counts although it failed, so a report says it.
            Err(Ended::Failed(error)) => {
                let report = Report { usage: Some(usage), ..Report::failed(&error) };
                Ending::Report { report, log }
            }
        }
    }

    fn converse(&mut self) -> Result<Report, Ended> {
        self.open();
        let (limits, steps) = (self.job.brief.limits, Steps::of(&self.job.brief));
        let was_there = self.all_is_there().is_some();
        let (mut repairs, mut said_last) = (0, String::new());
        for step in 1..=steps.most {
            if limits.tokens > 0 && self.totals.tokens() >= limits.tokens {
                let used = self.totals.tokens();
                return Err(Ended::Failed(format!(
                    "the model used {used} tokens of {} without a report",
                    limits.tokens
                )));
            }
            let is_last = steps.is_last(step);
            self.messages.extend(steps.before(step).map(Message::User));
            let turn = self.turn(!is_last)?;
            if let Finish::Refused(reason) = &turn.finish {
                let reason = quote(&self.settings().scrub(reason), 400);
                return Err(Ended::Failed(format!("{} refused: {reason}", self.model.settings.name)));
            }
            if !turn.said.text.trim().is_empty() {
                said_last = self.settings().scrub(without_thoughts(&turn.said.text));
            }
            let calls = self.calls_of(&turn);
            if !calls.is_empty() && !is_last {
                self.make_calls(turn.said, &calls)?;
                match self.written(was_there) {
                    Some(report) => return Ok(report),
                    None => continue,
                }
            }
            let judged = self.judge(&turn, repairs);
            for note in &judged.notes {
                self.note(note);
            }
            match judged.report {
                Ok(report) => return Ok(report),
                Err(problems) if repairs < REPAIRS => {
                    repairs += 1;
                    self.ask_again(&turn.said, &problems);
                }
                Err(problems) => return Err(Ended::Broken(problems, self.settings().scrub(&turn.said.text))),
            }
        }
        steps.used_up(&said_last).map_err(Ended::Failed)
    }

    /// A small model that has written its file by a tool does not know that it is done: it reads it, writes it again, and
    /// reads it. The file is all that it was asked for.
    fn written(&self, was_there: bool) -> Option<Report> {
        if self.plan.form != Form::Simple || was_there {
            return None;
        }
        let report = self.all_is_there()?;
        self.note("the file was written by a tool, and is all that was asked for");
        Some(report)
    }

    /// The report that there is nothing more to do, if all files are there.
    fn all_is_there(&self) -> Option<Report> {
        let brief = &self.job.brief;
        if brief.expects.outputs.is_empty() || brief.expects.result.is_object() {
            return None;
        }
        let files = collect_outputs(brief, &self.job.workdir, &Report::done(""), &OutputLimits::default()).ok()?;
        let summary = files.first().map(|file| first_words(&String::from_utf8_lossy(&file.content)));
        Some(Report::done(&summary.unwrap_or_default()))
    }

    fn settings(&self) -> &'a ModelSettings {
        &self.model.settings
    }

    /// The first message: what is asked, and the files to work with.
    fn open(&mut self) {
        let selection = self.selected();
        self.note(&selection.record.to_string());
        let files = match selection.text.is_empty() {
            true => String::new(),
            false => format!("The files:\n{}\n", selection.text),
        };
        // What is asked stands last: a small model remembers best what it read last.
        let text = format!("{files}{}", self.rendered.user);
        match self.messages.first_mut() {
            Some(first) => *first = Message::User(text),
            None => self.messages.push(Message::User(text)),
        }
    }

    fn selected(&self) -> Selection {
        let brief = &self.job.brief;
        let mut wanted = brief.context["request"].as_str().unwrap_or_default().to_string();
        for value in brief.item.values().filter_map(Value::as_str) {
            let _ = write!(wanted, " {value}");
        }
        select(self.job, &wanted, self.plan.files_tokens)
    }

    /// One turn, asked in other ways and again as long as there is hope.
    fn turn(&mut self, may_call: bool) -> Result<Turn, Ended> {
        let mut tried = 0;
        loop {
            let request = self.request(may_call);
            let name = &self.settings().name;
            let (called, mut exchange) = {
                let bytes = Cell::new(0_usize);
                self.client.call(&request, &|more| {
                    bytes.set(bytes.get() + more);
                    self.say_thinking(bytes.get());
                })
            };
            if let Some(recorder) = &self.model.recorder {
                let reply = String::from_utf8_lossy(&exchange.reply);
                let request = self.settings().scrub(&String::from_utf8_lossy(&exchange.request));
                (exchange.reply, exchange.request) = (self.settings().scrub(&reply).into_bytes(), request.into_bytes());
                recorder(self.job, &Kept::Exchange(exchange));
            }
            let fault = match called {
                Ok(turn) => {
                    let price = self.settings().price;
                    self.totals.add(&turn.usage, price.as_ref());
                    self.job.meter.add(&turn.usage.priced(price.as_ref()));
                    let usage = turn.usage;
                    let ended = match &turn.finish {
                        Finish::Done => "",
                        Finish::Length => ", cut at its limit",
                        Finish::Refused(_) => ", refused",
                    };
                    let number = self.totals.calls;
                    self.note(&format!(
                        "call {number} of {name}: {} tokens in ({} cached), {} out{ended}",
                        usage.input, usage.cached, usage.output
                    ));
                    return Ok(turn);
                }
                Err(fault) => fault,
            };
            match fault {
                CallFault::Stopped => return Err(Ended::Stopped),
                CallFault::OutOfTime => {
                    return Err(Ended::Failed("the model did not end within the time of its brief".into()));
                }
                CallFault::Refused(reason) => return Err(Ended::Failed(reason)),
                CallFault::Busy { after, reason } => {
                    tried += 1;
                    self.wait(tried, after, reason)?;
                }
                CallFault::TooLong(reason) => self.shorten(&reason)?,
                CallFault::NoSchema(reason) => self.bind_otherwise(&reason)?,
                CallFault::NoTools(reason) if self.plan.with_tools => {
                    self.note(&format!("tools are not offered any more: {reason}"));
                    self.plan.with_tools = false;
                }
                CallFault::NoTools(reason) => self.bind_otherwise(&reason)?,
            }
        }
    }

    fn request(&self, may_call: bool) -> Request {
        let tools = if may_call && self.plan.with_tools { self.calls.tools().to_vec() } else { Vec::new() };
        let may_bind =
            tools.is_empty() || self.client.wire().binds_with_tools() && self.settings().service != Service::LlamaCpp;
        let answer = match (&self.plan.schema, self.plan.binding) {
            (Some(schema), Binding::Schema) if may_bind => Answer::Schema(schema.clone()),
            (Some(schema), Binding::Call) => Answer::Call(schema.clone()),
            _ => Answer::Free,
        };
        Request {
            system: self.rendered.system.clone(),
            messages: self.messages.clone(),
            tools,
            answer,
            max_output_tokens: self.plan.max_output_tokens,
            temperature: self.plan.temperature,
            stream: self.settings().stream,
        }
    }

    /// Waits before the next try, or gives up until later.
    fn wait(&self, tried: u32, after: Option<Duration>, reason: String) -> Result<(), Ended> {
        let retries = &self.settings().retries;
        let fence = self.job.workdir.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let seed = seed_of(&[&self.job.brief.run_id, &fence]);
        let wait = wait_before(retries, tried, seed, after);
        if tried > retries.most || wait > retries.longest_wait {
            let wait = if tried > retries.most { wait.max(LATER.min(retries.longest_wait * 2)) } else { wait };
            return Err(Ended::Later(wait, reason));
        }
        let until = time_of_day(SystemTime::now() + wait);
        self.note(&format!("try {tried} failed: {reason}"));
        (self.say)(&format!("waiting until {until}: {}", quote(&reason, 200)));
        match self.client.rest(wait) {
            Ok(()) => Ok(()),
            Err(CallFault::Stopped) => Err(Ended::Stopped),
            Err(_) => Err(Ended::Failed(format!("the time of the brief ended while waiting: {reason}"))),
        }
    }

    /// Asks for less: fewer files, and shorter answers of tools.
    fn shorten(&mut self, reason: &str) -> Result<(), Ended> {
        self.plan.shortened += 1;
        if self.plan.shortened > SHORTER {
            return Err(Ended::Failed(reason.into()));
        }
        self.note(&format!("asked again with half of the files: {reason}"));
        self.plan.files_tokens /= 2;
        self.open();
        let count = self.messages.len();
        for message in self.messages.iter_mut().take(count.saturating_sub(2)) {
            if let Message::Answers(answers) = message {
                for answer in answers {
                    answer.text = quote(&answer.text, 200);
                }
            }
        }
        Ok(())
    }

    fn bind_otherwise(&mut self, reason: &str) -> Result<(), Ended> {
        self.plan.binding = match self.plan.binding {
            // Where tools are no way, the next one is none at all.
            Binding::Schema if self.client.wire().binds_with_tools() && self.settings().service.needs_key() => {
                Binding::Call
            }
            Binding::Schema | Binding::Call => Binding::Free,
            Binding::Free => return Err(Ended::Failed(reason.into())),
        };
        self.note(&format!("the form of the answer is asked for in another way ({:?}): {reason}", self.plan.binding));
        Ok(())
    }

    /// The calls of a turn, also one that was written as text. The report handed in as a call is none.
    fn calls_of(&self, turn: &Turn) -> Vec<Call> {
        if turn.said.calls.iter().any(|call| call.name == REPORT_TOOL) {
            return Vec::new();
        }
        if !turn.said.calls.is_empty() {
            return turn.said.calls.clone();
        }
        if !self.plan.with_tools {
            return Vec::new();
        }
        match found_in(without_thoughts(&turn.said.text)) {
            Found::Whole(value) => call_alone(&value, self.calls.tools()).into_iter().collect(),
            Found::Within(value) => call_in_text(&value, self.calls.tools()).into_iter().collect(),
            Found::Mended(_) | Found::Nothing => Vec::new(),
        }
    }

    /// The call of a tool that a text is, and nothing else.
    fn call_in(&self, text: &str) -> Option<Call> {
        match found_in(without_thoughts(text)) {
            Found::Whole(value) => call_alone(&value, self.calls.tools()),
            Found::Within(_) | Found::Mended(_) | Found::Nothing => None,
        }
    }

    fn make_calls(&mut self, said: Said, calls: &[Call]) -> Result<(), Ended> {
        let asked = self.calls.asked(calls);
        if !asked.is_empty() {
            asked.iter().for_each(|(call, written)| self.keep_call(call, None, Some(written)));
            let asked: Vec<String> = asked.into_iter().map(|(_, written)| written).collect();
            self.note(&format!("a person is asked: {}", asked.join(", ")));
            return Err(Ended::Asks(tools::question(&asked)));
        }
        for call in calls {
            (self.say)(&format!("calls {} {}", quote(&call.name, 64), shown(call, 120)));
        }
        let made = self.calls.make(calls, self.stop);
        for (call, answer) in calls.iter().zip(&made.answers) {
            self.note(&format!(
                "{} {}: {:?}, {} bytes",
                quote(&call.name, 64),
                shown(call, 120),
                answer.went,
                answer.text.len()
            ));
        }
        for (call, answer) in &made.made {
            self.keep_call(call, Some(answer), None);
        }
        if self.stop.is_stopped() {
            return Err(Ended::Stopped);
        }
        if let Some(call) = made.endless {
            return Err(Ended::Failed(format!("the model makes the same call again and again: {call}")));
        }
        let written_as_text = said.calls.is_empty();
        self.messages.push(Message::Model(said));
        if written_as_text {
            let answers: Vec<String> = calls
                .iter()
                .zip(&made.answers)
                .map(|(call, answer)| format!("Answer of {}:\n{}", call.name, answer.text))
                .collect();
            self.messages.push(Message::User(answers.join("\n\n")));
        } else {
            let answers = calls.iter().zip(made.answers).map(|(call, answer)| Answered {
                id: call.id.clone(),
                name: call.name.clone(),
                text: answer.text,
                went: answer.went,
            });
            self.messages.push(Message::Answers(answers.collect()));
        }
        if made.repeated && self.plan.form == Form::Simple {
            // A small model that turns in a circle is helped out of it: it has read what there is.
            self.plan.with_tools = false;
            self.note("tools are not offered any more: the same call was made again and again");
            self.messages.push(Message::User("There are no more tools. Write the text of the file now.".into()));
        }
        Ok(())
    }

    /// Records a call, and what its tool answered or how a person is asked.
    fn keep_call(&self, call: &ToolCall, answer: Option<&ToolAnswer>, asked: Option<&String>) {
        let Some(recorder) = &self.model.recorder else { return };
        let settings = self.settings();
        let answer = answer.map(|answer| ToolAnswer { text: settings.scrub(&answer.text), went: answer.went });
        let (name, arguments) = (call.name.clone(), settings.scrub_value(call.arguments.clone()));
        let called = Called { name, arguments, answer, asked: asked.map(|written| settings.scrub(written)) };
        recorder(self.job, &Kept::Called(called));
    }

    fn judge(&self, turn: &Turn, repairs: u32) -> Judged {
        let brief = &self.job.brief;
        let handed_in = turn.said.calls.iter().find(|call| call.name == REPORT_TOOL);
        if let Some(call) = handed_in {
            return match &call.arguments {
                Ok(arguments) => {
                    let (value, notes) = report_of(brief, arguments.clone());
                    Judged { report: checked(brief, &self.job.workdir, &value), notes }
                }
                Err(problem) => Judged { report: Err(vec![problem.clone()]), notes: Vec::new() },
            };
        }
        let mut text = turn.said.text.as_str();
        let call = if self.plan.form == Form::Simple { self.call_in(text) } else { None };
        if let Some(call) = &call {
            // Who knows no other way to hand a file in than a tool that is gone has still said what is in it.
            let Some(content) = content_of(call, &brief.expects.outputs, repairs) else {
                let problem = "this is a call, and there are no tools: write the text of the file";
                return Judged { report: Err(vec![problem.into()]), notes: Vec::new() };
            };
            self.note("a call that would write the file is taken for the file");
            text = content;
        }
        // Who did not manage JSON after being told may hand in the one file as it is.
        let plain = if self.plan.form == Form::Simple || repairs > 1 { Plain::Taken } else { Plain::NotYet };
        let mut judged = judge(brief, &self.job.workdir, text, self.plan.form, plain);
        if turn.finish == Finish::Length
            && !judged.report.as_ref().is_ok_and(|report| report.status != ReportStatus::Done)
        {
            let most = self.plan.max_output_tokens;
            judged.report =
                Err(vec![format!("the answer was cut after {most} tokens: answer in at most {} words", most / 3)]);
        }
        judged
    }

    /// Shows the model what is wrong with its answer.
    fn ask_again(&mut self, said: &Said, problems: &[String]) {
        (self.say)(&format!("mends its answer: {}", quote(problems.first().map_or("", String::as_str), 160)));
        self.note(&format!("sent back: {}", problems.join("; ")));
        let text = quote_lines(&said.text, SHOWN_AGAIN);
        // Calls that are not answered must not be shown again, and an empty message is refused by some.
        let text = if text.trim().is_empty() { "(nothing)".into() } else { text };
        self.messages.push(Message::Model(Said { text, calls: Vec::new(), own: Value::Null }));
        let mut told = String::from("This cannot be taken:\n");
        for problem in problems {
            let _ = writeln!(told, "- {problem}");
        }
        told.push_str("Mend exactly this and give your whole answer again, in the form that was asked for.");
        self.messages.push(Message::User(told));
    }

    fn say_thinking(&self, bytes: usize) {
        let now = Instant::now();
        let due = self.said_at.get().is_none_or(|before| now.duration_since(before) >= SAY_EVERY);
        if bytes > 0 && due {
            self.said_at.set(Some(now));
            (self.say)(&format!("thinking… {} tokens", (bytes * 10).div_ceil(35)));
        }
    }

    fn note(&self, line: &str) {
        let mut log = self.log.borrow_mut();
        if log.len() + line.len() < LOG {
            log.push_str(line);
            log.push('\n');
        }
    }
}
