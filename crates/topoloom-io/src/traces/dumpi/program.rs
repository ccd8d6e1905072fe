//! The programs of all ranks, assembled from their calls.

use std::collections::{HashMap, HashSet};

use topoloom_core::words::counted;
use topoloom_core::{Event, Trace};

use super::call::{Call, Status, for_each};
use super::communicators::{Communicators, Meant, Numbers};
use super::datatypes::Datatypes;
use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::source::Source;
use crate::text::tags::Tags;
use crate::text::warnings::Warnings;
use crate::traces::collective_calls::{CollectiveCalls, Joining, Kind};
use crate::traces::compute::compute;
use crate::traces::matching::{self, ANY};

/// Any sender and any tag, as DUMPI prints them.
const ANY_OF_DUMPI: i64 = -1;

/// What is collected over all files.
pub struct Programs<'a> {
    name: &'a str,
    communicators: Communicators,
    tags: Tags,
    calls: CollectiveCalls,
    programs: Vec<Vec<Event>>,
    of_unknown_size: u64,
    one_sided: u64,
}

/// A request of a rank.
struct Request {
    /// What it does when it is started; requests that start only once have already started.
    event: Event,
    persistent: bool,
    /// The communicator's number, needed to read its status.
    communicator: i64,
    /// Where it was started, if it was not waited for yet.
    place: Option<usize>,
    cancelled: bool,
}

/// One rank, call by call.
struct Walk<'a, 'b, 'c> {
    all: &'a mut Programs<'b>,
    rank: u32,
    numbers: Numbers<'c>,
    datatypes: Datatypes,
    program: Vec<Event>,
    requests: HashMap<i64, Request>,
    /// The places of cancelled requests.
    dropped: HashSet<usize>,
    free_names: Vec<u32>,
    num_names: u32,
    /// When the last call has ended.
    since: Option<u64>,
}

impl<'b> Programs<'b> {
    pub fn new(name: &'b str, communicators: Communicators) -> Programs<'b> {
        Programs {
            name,
            communicators,
            tags: Tags::default(),
            calls: CollectiveCalls::default(),
            programs: Vec::new(),
            of_unknown_size: 0,
            one_sided: 0,
        }
    }

    /// Adds the calls of the next rank.
    pub fn add(&mut self, rank: u32, source: &Source<'_>) -> Result<(), ReadError> {
        let mut datatypes = Datatypes::default();
        // Sizes are listed after the calls.
        for_each(source, |number, bytes| datatypes.list(number, bytes), |_| Ok(()))?;
        let mut walk = Walk {
            all: self,
            rank,
            numbers: Numbers::new(rank),
            datatypes,
            program: Vec::new(),
            requests: HashMap::new(),
            dropped: HashSet::new(),
            free_names: Vec::new(),
            num_names: 0,
            since: None,
        };
        for_each(source, |_, _| {}, |call| walk.call(&call))?;
        let Walk { mut program, dropped, datatypes, .. } = walk;
        let mut place = 0;
        program.retain(|_| {
            place += 1;
            !dropped.contains(&(place - 1))
        });
        self.of_unknown_size = self.of_unknown_size.saturating_add(datatypes.of_unknown_size);
        self.programs.push(program);
        Ok(())
    }

    /// The trace, with warnings about what it does not hold.
    pub fn finish(self, warnings: &mut Warnings) -> Result<Trace, ReadError> {
        let Programs { name, communicators, calls, mut programs, .. } = self;
        let whole = |fault: Fault| ReadError::new(name.to_string(), fault);
        let sizes = calls.sizes(|which| communicators.members(which).in_order.len());
        let dropped = matching::resolve(&mut programs, &sizes);
        let members_of = |which| communicators.members(which).in_order.clone();
        let (collectives, numbers) = calls.finish(members_of).map_err(whole)?;
        for event in programs.iter_mut().flatten() {
            if let Event::Collective { number } = event {
                *number = numbers[*number as usize];
            }
        }
        let mut warn_of = |count: u64, one: &str, what: &str| {
            if count > 0 {
                warnings.push(format!("{} {what}", counted(count, one)));
            }
        };
        warn_of(self.one_sided, "one-sided operation", "left out");
        warn_of(
            self.of_unknown_size,
            "element",
            "of datatypes of unknown size counted as one byte each",
        );
        warn_of(
            dropped as u64,
            "receive",
            "from any rank, or from no rank, left out: no message came",
        );
        if communicators.made_of_groups {
            warnings.push(
                "groups are not followed: the members of a communicator of MPI_Comm_create are \
                 assumed to be in the order of its parent communicator"
                    .into(),
            );
        }
        Trace::new(programs, collectives).map_err(|error| whole(Fault::refused(error)))
    }
}

impl<'c> Walk<'_, '_, 'c> {
    fn call(&mut self, call: &Call<'c>) -> Result<(), Fault> {
        // Clocks that go backwards are not a reason to reject a trace.
        let computed = self.since.map_or(0, |since| call.entering.saturating_sub(since));
        self.since = Some(call.returning);
        compute(&mut self.program, computed);
        match call.name {
            "MPI_Send" | "MPI_Bsend" | "MPI_Ssend" | "MPI_Rsend" => {
                if let Some((to, bytes, tag)) = self.send(call, "count", "datatype", "tag")? {
                    self.program.push(Event::Send { to, bytes, tag });
                }
            }
            "MPI_Recv" => {
                if let Some((from, tag)) = self.receive(call, "tag", status(call)?)? {
                    self.program.push(Event::Receive { from, tag });
                }
            }
            "MPI_Isend" | "MPI_Ibsend" | "MPI_Issend" | "MPI_Irsend" => {
                self.request(call, true, false)?;
            }
            "MPI_Irecv" => self.request(call, false, false)?,
            "MPI_Send_init" | "MPI_Bsend_init" | "MPI_Ssend_init" | "MPI_Rsend_init" => {
                self.request(call, true, true)?;
            }
            "MPI_Recv_init" => self.request(call, false, true)?,
            "MPI_Start" => {
                requests(call, "request")?.into_iter().for_each(|number| self.start(number));
            }
            "MPI_Startall" => {
                requests(call, "requests")?.into_iter().for_each(|number| self.start(number));
            }
            "MPI_Sendrecv" => self.both(call, "sendcount", "sendtype")?,
            "MPI_Sendrecv_replace" => self.both(call, "count", "datatype")?,
            "MPI_Wait" | "MPI_Test" => {
                if call.name == "MPI_Wait" || call.number("flag")? != 0 {
                    let status = status(call)?;
                    for number in requests(call, "request")? {
                        self.complete(number, status)?;
                    }
                }
            }
            "MPI_Waitany" | "MPI_Testany" => {
                if call.name == "MPI_Waitany" || call.number("flag")? != 0 {
                    let requests = requests(call, "requests")?;
                    let index = usize::try_from(call.number("index")?).ok();
                    if let Some(&number) = index.and_then(|index| requests.get(index)) {
                        self.complete(number, status(call)?)?;
                    }
                }
            }
            "MPI_Waitall" | "MPI_Testall" => {
                if call.name == "MPI_Waitall" || call.number("flag")? != 0 {
                    let statuses = call.statuses("statuses")?.unwrap_or_default();
                    for (place, number) in requests(call, "requests")?.into_iter().enumerate() {
                        self.complete(number, statuses.get(place).copied())?;
                    }
                }
            }
            "MPI_Waitsome" | "MPI_Testsome" => {
                let requests = requests(call, "requests")?;
                let statuses = call.statuses("statuses")?.unwrap_or_default();
                let indices = call.list("indices")?.unwrap_or_default();
                for (place, index) in indices.into_iter().enumerate() {
                    let index = usize::try_from(index).ok();
                    if let Some(&number) = index.and_then(|index| requests.get(index)) {
                        self.complete(number, statuses.get(place).copied())?;
                    }
                }
            }
            "MPI_Cancel" => {
                for number in requests(call, "request")? {
                    if let Some(request) = self.requests.get_mut(&number) {
                        request.cancelled = true;
                    }
                }
            }
            "MPI_Request_free" => {
                for number in requests(call, "request")? {
                    self.requests.remove(&number);
                }
            }
            "MPI_Put" | "MPI_Get" | "MPI_Accumulate" => self.all.one_sided += 1,
            _ => {
                self.all.communicators.follow(&mut self.numbers, call)?;
                if !self.datatypes.make(call)? {
                    self.collective(call)?;
                }
            }
        }
        Ok(())
    }

    fn bytes(&mut self, call: &Call<'_>, count: &str, datatype: &str) -> Result<u64, Fault> {
        Ok(self.datatypes.bytes(call.number(count)?, call.number(datatype)?))
    }

    /// Receiver, amount and tag of a send; none if there is no receiver.
    fn send(
        &mut self,
        call: &Call<'_>,
        count: &str,
        datatype: &str,
        tag: &str,
    ) -> Result<Option<(u32, u64, u32)>, Fault> {
        let bytes = self.bytes(call, count, datatype)?;
        let (to, communicator) = (call.number("dest")?, call.number("comm")?);
        if to < 0 {
            return Ok(None);
        }
        let to = self.world_rank(communicator, to)?;
        let tag = self.tag(communicator, call.number(tag)?)?;
        Ok(Some((to, bytes, tag)))
    }

    /// Sender and tag of a receive, as far as the call or its status says; none if there is no
    /// sender.
    fn receive(
        &mut self,
        call: &Call<'_>,
        tag: &str,
        status: Option<Status>,
    ) -> Result<Option<(u32, u32)>, Fault> {
        let communicator = call.number("comm")?;
        let (mut from, mut tag) = (call.number("source")?, call.number(tag)?);
        if from < 0 && call.label("source")? != "MPI_ANY_SOURCE" {
            return Ok(None);
        }
        if let Some(status) = status {
            if from == ANY_OF_DUMPI && status.source < 0 {
                return Ok(None);
            }
            from = if from == ANY_OF_DUMPI { status.source } else { from };
            tag = if tag == ANY_OF_DUMPI { status.tag } else { tag };
        }
        self.partner(communicator, from, tag).map(Some)
    }

    /// A sender and a tag, either of which may be "any".
    fn partner(&mut self, communicator: i64, from: i64, tag: i64) -> Result<(u32, u32), Fault> {
        let from = match from {
            ANY_OF_DUMPI => ANY,
            from => self.world_rank(communicator, from)?,
        };
        let tag = match tag {
            ANY_OF_DUMPI => ANY,
            tag => self.tag(communicator, tag)?,
        };
        Ok((from, tag))
    }

    fn world_rank(&self, communicator: i64, place: i64) -> Result<u32, Fault> {
        match self.all.communicators.meant(&self.numbers, communicator)? {
            Meant::OnlySelf => Ok(self.rank),
            Meant::Of(_, members) => {
                let rank =
                    usize::try_from(place).ok().and_then(|place| members.in_order.get(place));
                let last = members.in_order.len() - 1;
                let missing = || {
                    Fault::OutOfRange(format!("there is no rank {place} in it, only 0 to {last}"))
                };
                rank.copied().ok_or_else(missing)
            }
        }
    }

    /// A tag of a communicator as one of the trace.
    fn tag(&mut self, communicator: i64, tag: i64) -> Result<u32, Fault> {
        let which = match self.all.communicators.meant(&self.numbers, communicator)? {
            Meant::OnlySelf => u32::MAX,
            Meant::Of(which, _) => which,
        };
        let tag = u32::try_from(tag).map_err(|_| Fault::expected("a tag", tag))?;
        Ok(self.all.tags.number(which, tag))
    }

    /// Sends and receives at once.
    fn both(&mut self, call: &Call<'_>, count: &str, datatype: &str) -> Result<(), Fault> {
        let sent = self.send(call, count, datatype, "sendtag")?;
        let received = self.receive(call, "recvtag", status(call)?)?;
        let receive = received.map(|(from, tag)| Event::Receive { from, tag });
        match (sent, receive) {
            (Some((to, bytes, tag)), Some(receive)) => {
                let request = self.new_name();
                let send = Event::StartSend { to, bytes, tag, request };
                self.program.extend([send, receive, Event::Wait { request }]);
                self.free_names.push(request);
            }
            (Some((to, bytes, tag)), None) => self.program.push(Event::Send { to, bytes, tag }),
            (None, receive) => self.program.extend(receive),
        }
        Ok(())
    }

    /// A request is made; if it is not persistent it is started at once.
    fn request(&mut self, call: &Call<'_>, sends: bool, persistent: bool) -> Result<(), Fault> {
        let event = match sends {
            true => self
                .send(call, "count", "datatype", "tag")?
                .map(|(to, bytes, tag)| Event::StartSend { to, bytes, tag, request: 0 }),
            false => self.receive(call, "tag", None)?.map(|(from, tag)| Event::StartReceive {
                from,
                tag,
                request: 0,
            }),
        };
        let communicator = call.number("comm")?;
        for number in requests(call, "request")? {
            // A request without a partner completes at once.
            self.requests.remove(&number);
            if let Some(event) = event {
                let place = None;
                let request = Request { event, persistent, communicator, place, cancelled: false };
                self.requests.insert(number, request);
                if !persistent {
                    self.start(number);
                }
            }
        }
        Ok(())
    }

    fn start(&mut self, number: i64) {
        if !self.requests.contains_key(&number) {
            return;
        }
        let name = self.new_name();
        let place = self.program.len();
        let Some(request) = self.requests.get_mut(&number) else { return };
        request.place = Some(place);
        if let Event::StartSend { request: as_named, .. }
        | Event::StartReceive { request: as_named, .. } = &mut request.event
        {
            *as_named = name;
        }
        let event = request.event;
        self.program.push(event);
    }

    /// A request completes. A status says more about the sender of a received message.
    fn complete(&mut self, number: i64, status: Option<Status>) -> Result<(), Fault> {
        let Some(request) = self.requests.get_mut(&number) else { return Ok(()) };
        let (event, communicator) = (request.event, request.communicator);
        let Some(place) = request.place.take() else { return Ok(()) };
        let cancelled = status.map_or(request.cancelled, |status| status.cancelled);
        if !request.persistent {
            self.requests.remove(&number);
        }
        let (Event::StartSend { request: name, .. } | Event::StartReceive { request: name, .. }) =
            event
        else {
            return Ok(());
        };
        self.free_names.push(name);
        if let Event::StartReceive { from, tag, .. } = event {
            let from_nobody = from == ANY && status.is_some_and(|status| status.source < 0);
            if cancelled || from_nobody {
                self.dropped.insert(place);
                return Ok(());
            }
            if let Some(status) = status.filter(|_| from == ANY || tag == ANY) {
                let (source, sent_tag) = self.partner(communicator, status.source, status.tag)?;
                let from = if from == ANY { source } else { from };
                let tag = if tag == ANY { sent_tag } else { tag };
                self.program[place] = Event::StartReceive { from, tag, request: name };
            }
        }
        self.program.push(Event::Wait { request: name });
        Ok(())
    }

    fn new_name(&mut self) -> u32 {
        self.free_names.pop().unwrap_or_else(|| {
            self.num_names += 1;
            self.num_names - 1
        })
    }

    fn collective(&mut self, call: &Call<'_>) -> Result<(), Fault> {
        let Some(kind) = kind_of(call.name) else { return Ok(()) };
        let communicator = call.number("comm")?;
        let (which, place, members) =
            match self.all.communicators.meant(&self.numbers, communicator)? {
                Meant::OnlySelf => return Ok(()),
                Meant::Of(which, members) => {
                    let place = members.place_of(self.rank);
                    let place = place.ok_or_else(|| {
                        Fault::Contradiction("the rank is not a member of the communicator".into())
                    })?;
                    (which, place, members.in_order.clone())
                }
            };
        let rooted = matches!(
            kind,
            Kind::Bcast
                | Kind::Reduce
                | Kind::Gather
                | Kind::Gatherv
                | Kind::Scatter
                | Kind::Scatterv
        );
        let root = if rooted { call.number("root")? } else { 0 };
        let root = u32::try_from(root).map_err(|_| Fault::expected("a root", root))?;
        let mut row = Vec::new();
        let bytes = match kind {
            Kind::Barrier => 0,
            Kind::Scatter | Kind::Scatterv => self.bytes(call, "recvcount", "recvtype")?,
            Kind::Gather | Kind::Gatherv | Kind::Alltoall | Kind::Allgather | Kind::Allgatherv => {
                self.bytes(call, "sendcount", "sendtype")?
            }
            Kind::ReduceScatter => {
                let counts = call.list("recvcounts")?.unwrap_or_default();
                let mine = counts.get(place as usize).copied().unwrap_or(0);
                self.datatypes.bytes(mine, call.number("datatype")?)
            }
            Kind::Alltoallv => {
                let counts = call.list("sendcounts")?.unwrap_or_default();
                let types = match call.name {
                    "MPI_Alltoallw" => call.list("sendtypes")?.unwrap_or_default(),
                    _ => vec![call.number("sendtype")?; counts.len()],
                };
                let of = |(&count, &number): (&i64, &i64)| self.datatypes.bytes(count, number);
                row = counts.iter().zip(&types).map(of).collect();
                0
            }
            _ => self.bytes(call, "count", "datatype")?,
        };
        let joining = Joining { kind, root, bytes, row };
        let number = self.all.calls.join(which, &members, place, joining)?;
        self.program.extend(number.map(|number| Event::Collective { number }));
        Ok(())
    }
}

/// The status of a call, if it was recorded.
fn status(call: &Call<'_>) -> Result<Option<Status>, Fault> {
    Ok(call.statuses("status")?.and_then(|statuses| statuses.first().copied()))
}

/// The requests of a call; none if they were not recorded.
fn requests(call: &Call<'_>, name: &str) -> Result<Vec<i64>, Fault> {
    call.list(name).map(Option::unwrap_or_default)
}

fn kind_of(call: &str) -> Option<Kind> {
    Some(match call {
        "MPI_Barrier" => Kind::Barrier,
        "MPI_Bcast" => Kind::Bcast,
        "MPI_Reduce" => Kind::Reduce,
        "MPI_Allreduce" => Kind::Allreduce,
        "MPI_Scan" => Kind::Scan,
        "MPI_Exscan" => Kind::Exscan,
        "MPI_Alltoall" => Kind::Alltoall,
        "MPI_Alltoallv" | "MPI_Alltoallw" => Kind::Alltoallv,
        "MPI_Gather" => Kind::Gather,
        "MPI_Gatherv" => Kind::Gatherv,
        "MPI_Scatter" => Kind::Scatter,
        "MPI_Scatterv" => Kind::Scatterv,
        "MPI_Allgather" => Kind::Allgather,
        "MPI_Allgatherv" => Kind::Allgatherv,
        "MPI_Reduce_scatter" => Kind::ReduceScatter,
        _ => return None,
    })
}
