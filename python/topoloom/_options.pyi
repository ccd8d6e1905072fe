# Written by python/tools/write_options.py from what the program knows of its commands. Do not edit.
import datetime
import os
from typing import Any, Callable, Optional, Sequence, TypedDict, Union

Value = Union[str, int, float, os.PathLike[str]]
Values = Union[Value, Sequence[Value]]
Time = Union[str, float, datetime.timedelta]
Progress = Union[bool, Callable[[str, int, int, Optional[float]], Any]]

class MapOptions(TypedDict, total=False):
    weight: Value
    collectives: Value
    routing: Value
    imbalance: Value
    objective: Any
    effort: Value
    seed: Value
    threads: Value
    time_limit: Time
    generations: Value
    islands: Value
    strategy: Any
    worth: Value
    together: Values
    keep: Any
    cpus_per_rank: Value
    ranks_per_node: Value
    spread: Values
    pack: Values
    fix: Values
    checkpoint: Value
    progress: Progress

class ScoreOptions(TypedDict, total=False):
    weight: Value
    collectives: Value
    routing: Value
    imbalance: Value
    objective: Any
    effort: Value
    seed: Value
    threads: Value
    time_limit: Time
    generations: Value
    islands: Value
    progress: Progress

class LowerBoundOptions(TypedDict, total=False):
    weight: Value
    collectives: Value
    routing: Value
    imbalance: Value
    effort: Value
    seed: Value
    threads: Value
    time_limit: Time
    generations: Value
    islands: Value
    progress: Progress

class CompareOptions(TypedDict, total=False):
    weight: Value
    collectives: Value
    routing: Value
    imbalance: Value
    objective: Any
    effort: Value
    seed: Value
    threads: Value
    time_limit: Time
    generations: Value
    islands: Value
    repeat: Value
    progress: Progress

class SimulateOptions(TypedDict, total=False):
    trace: Any
    replay: Value
    collectives: Value
    routing: Value
    model: Value
    weight: Value
    imbalance: Value
    objective: Any
    effort: Value
    seed: Value
    threads: Value
    time_limit: Time
    generations: Value
    islands: Value
    links: Value
    progress: Progress

class ReportOptions(TypedDict, total=False):
    weight: Value
    collectives: Value
    routing: Value
    imbalance: Value
    strategy: Any
    objective: Any
    effort: Value
    seed: Value
    threads: Value
    time_limit: Time
    generations: Value
    islands: Value
    model: Value
    replay: Value
    hosts: Value
    command: Value
    reproducible: bool
    progress: Progress

class PlotOptions(TypedDict, total=False):
    traffic: Any
    machine: Any
    strategy: Any
    host: Value
    groups: Any
    weight: Value
    collectives: Value
    routing: Value
    imbalance: Value
    objective: Any
    effort: Value
    seed: Value
    threads: Value
    time_limit: Time
    generations: Value
    islands: Value
    width: Value
    scale: Value
    progress: Progress

class AdviseOptions(TypedDict, total=False):
    trace: Any
    replay: Value
    collectives: Value
    shapes: Values
    machine: Any
    routing: Value
    strategy: Any
    model: Value
    weight: Value
    imbalance: Value
    objective: Any
    effort: Value
    seed: Value
    threads: Value
    time_limit: Time
    generations: Value
    islands: Value
    progress: Progress

class CheckOptions(TypedDict, total=False):
    weight: Value
    collectives: Value
    routing: Value
    imbalance: Value
    progress: Progress

class ArrangeOptions(TypedDict, total=False):
    application: Value
    strategy: Any
    measure: Value
    compare: bool
    effort: Value
    seed: Value
    threads: Value
    time_limit: Time
    blocks: Value
    block: Value
    flow: Value
    partition: Value
    compute: bool
    domain: Value
    halo: Value
    parts: Value
    shape: Value
    min_side: Value
    wrap: bool
    progress: Progress

class ArrangePlatformOptions(TypedDict, total=False):
    progress: Progress

class ArrangeMeasureOptions(TypedDict, total=False):
    block: Value
    sizes: Values
    from_: Value
    to: Value
    points: Value
    threads: Value
    precision: Value
    min_repetitions: Value
    max_repetitions: Value
    time_limit: Time
    progress: Progress

class ScheduleOptions(TypedDict, total=False):
    jobs: Value
    workload: Value
    load: Value
    queue: Values
    partition: Values
    shape: Value
    compare: bool
    pattern: Values
    communication: Value
    strategy: Any
    objective: Any
    routing: Value
    weight: Value
    collectives: Value
    effort: Value
    seed: Value
    seeds: Value
    threads: Value
    time_limit: Time
    progress: Progress

class RecordOptions(TypedDict, total=False):
    trace: Any
    times: bool
    scratch: Value
    progress: Progress

class RunOptions(TypedDict, total=False):
    hosts: Value
    order: Value
    adapt: bool
    within: Value
    rank_0: Value
    strict: bool
    table: Value
    traffic: Any
    machine: Any
    network: Value
    weight: Value
    collectives: Value
    strategy: Any
    objective: Any
    effort: Value
    seed: Value
    threads: Value
    time_limit: Time
    generations: Value
    islands: Value
    record: Value
    trace: Any
    times: bool
    limit: Time
    scratch: Value
    progress: Progress

class TuneOptions(TypedDict, total=False):
    traffic: Any
    machine: Any
    network: Value
    weight: Value
    collectives: Value
    strategy: Any
    objective: Any
    effort: Value
    seed: Value
    threads: Value
    time_limit: Time
    generations: Value
    islands: Value
    seats: Value
    cpus_per_rank: Value
    ranks_per_node: Value
    spread: Values
    pack: Values
    fix: Values
    worth: Value
    measure: Value
    format: Value
    prefix: Value
    scratch: Value
    launch_timeout: Time
    progress: Progress

class ListOptions(TypedDict, total=False):
    progress: Progress

class ReproduceOptions(TypedDict, total=False):
    model: Value
    routing: Value
    mappings: Value
    seed: Value
    threads: Value
    progress: Progress

class GenerateOptions(TypedDict, total=False):
    weight: Value
    collectives: Value
    progress: Progress

class TrafficShowOptions(TypedDict, total=False):
    weight: Value
    collectives: Value
    progress: Progress

class TrafficGroupsOptions(TypedDict, total=False):
    progress: Progress

class TrafficScaleOptions(TypedDict, total=False):
    factor: Value
    what: Value
    weight: Value
    collectives: Value
    progress: Progress

class TrafficFilterOptions(TypedDict, total=False):
    ranks: Value
    keep_numbers: bool
    min_bytes: Value
    min_messages: Value
    top: Value
    kind: Values
    weight: Value
    collectives: Value
    progress: Progress

class TrafficSymmetrizeOptions(TypedDict, total=False):
    sum: bool
    max: bool
    weight: Value
    collectives: Value
    progress: Progress

class TrafficCoarsenOptions(TypedDict, total=False):
    by: Value
    groups: Any
    drop_inside: bool
    weight: Value
    collectives: Value
    progress: Progress

class TrafficMergeOptions(TypedDict, total=False):
    side_by_side: bool
    weight: Value
    collectives: Value
    progress: Progress

class MachineImportOptions(TypedDict, total=False):
    node: Values
    hosts: Value
    slots: Value
    place: Value
    cost: Values
    bandwidth: Values
    latency: Values
    progress: Progress

class MachineDetectOptions(TypedDict, total=False):
    network: Value
    hosts: Value
    slots: Value
    place: Value
    cost: Values
    bandwidth: Values
    latency: Values
    progress: Progress

class MachineMeasureOptions(TypedDict, total=False):
    machine: Any
    bytes: Value
    large_bytes: Value
    rounds: Value
    scratch: Value
    launch_timeout: Time
    progress: Progress

class MachineShowOptions(TypedDict, total=False):
    progress: Progress

class MachineRoutesOptions(TypedDict, total=False):
    traffic: Any
    from_: Value
    to: Value
    mapping: Any
    weight: Value
    collectives: Value
    routing: Value
    imbalance: Value
    objective: Any
    effort: Value
    seed: Value
    threads: Value
    time_limit: Time
    generations: Value
    islands: Value
    progress: Progress

class MachineExportOptions(TypedDict, total=False):
    routing: Value
    progress: Progress

class ApplyOptions(TypedDict, total=False):
    hosts: Value
    command: Value
    progress: Progress

class VerifyOptions(TypedDict, total=False):
    hosts: Value
    scratch: Value
    launch_timeout: Time
    progress: Progress
