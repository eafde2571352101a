import {
  counter,
  type Family,
  gauge,
  histogram,
  type Measured,
  type MetricSet,
  measuredBy,
  type ReadSample,
  type Stability
} from "@rollcall/time"
import { DURATION_BUCKETS, QUEUE_BUCKETS, SEAT_BUCKETS } from "./buckets.ts"
import type { FlowConfiguration, FlowState, RefusalReason } from "./FlowConfiguration.ts"
import type { PriorityLevel } from "./PriorityLevel.ts"

/**
 * Upstream: apiserver/pkg/util/flowcontrol/metrics/metrics.go. The number of series depends on FlowSchemas and levels,
 * not on clients.
 */
const PREFIX = "apiserver_flowcontrol_"

type FlowLabel = "flow_schema" | "priority_level"
type LevelLabel = "priority_level"

const flowLabels = ["flow_schema", "priority_level"] as const
const levelLabels = ["priority_level"] as const

const flowGauge = (name: string, stability: Stability, help: string): Family<FlowLabel> =>
  gauge(PREFIX + name, stability, help, flowLabels)
const levelGauge = (name: string, stability: Stability, help: string): Family<LevelLabel> =>
  gauge(PREFIX + name, stability, help, levelLabels)

export const flowFamilies = {
  rejected: counter(`${PREFIX}rejected_requests_total`, "BETA", "Requests that were refused, by reason.", [
    ...flowLabels,
    "reason"
  ]),
  dispatched: counter(`${PREFIX}dispatched_requests_total`, "BETA", "Requests that were started.", flowLabels),
  waits: histogram(
    `${PREFIX}request_wait_duration_seconds`,
    DURATION_BUCKETS,
    "BETA",
    "How long requests waited, by whether they were then executed.",
    [...flowLabels, "execute"]
  ),
  executions: histogram(
    `${PREFIX}request_execution_seconds`,
    DURATION_BUCKETS,
    "ALPHA",
    "How long requests executed; of a watch only its start counts.",
    [...flowLabels, "type"]
  ),
  queueLengths: histogram(
    `${PREFIX}request_queue_length_after_enqueue`,
    QUEUE_BUCKETS,
    "ALPHA",
    "The length of its queue, as each request found it.",
    flowLabels
  ),
  seats: histogram(`${PREFIX}work_estimated_seats`, SEAT_BUCKETS, "ALPHA", "The seats of each request.", flowLabels),
  fairFraction: gauge(
    `${PREFIX}seat_fair_frac`,
    "ALPHA",
    "The fraction of its nominal seats that each level gets if all want them."
  )
}

/** The gauges of flows, with what reads them. */
export const flowGauges: ReadonlyArray<readonly [Family<FlowLabel>, (flow: FlowState) => number]> = [
  [flowGauge("current_inqueue_requests", "BETA", "Requests that wait in queues."), ({ waiting }) => waiting],
  [flowGauge("current_inqueue_seats", "ALPHA", "Seats of requests that wait in queues."), (flow) => flow.waitingSeats],
  [flowGauge("current_executing_requests", "BETA", "Requests that execute."), ({ executing }) => executing],
  [flowGauge("current_executing_seats", "BETA", "Seats of requests that execute."), (flow) => flow.executingSeats]
]

/** The gauges of priority levels, with what reads them. */
export const levelGauges: ReadonlyArray<readonly [Family<LevelLabel>, (level: PriorityLevel) => number]> = [
  [levelGauge("nominal_limit_seats", "BETA", "The seats of a level by its shares."), ({ limits }) => limits.nominal],
  [levelGauge("lower_limit_seats", "ALPHA", "The seats that a level does not lend."), ({ limits }) => limits.min],
  [levelGauge("upper_limit_seats", "ALPHA", "The most seats that a level may have."), ({ limits }) => limits.max],
  [levelGauge("current_limit_seats", "ALPHA", "The seats that a level has now."), ({ currentLimit }) => currentLimit],
  [
    levelGauge("current_r", "ALPHA", "The virtual time of a level, in seat-seconds."),
    ({ queues }) => queues.virtualTime
  ],
  [
    levelGauge("demand_seats_high_watermark", "ALPHA", "The highest demand for seats in the last period."),
    ({ demand }) => demand.highWatermark
  ],
  [
    levelGauge("demand_seats_average", "ALPHA", "The average demand for seats in the last period."),
    ({ demand }) => demand.average
  ],
  [
    levelGauge("demand_seats_stdev", "ALPHA", "The deviation of the demand for seats in the last period."),
    ({ demand }) => demand.deviation
  ],
  [levelGauge("demand_seats_smoothed", "ALPHA", "The smoothed demand for seats."), ({ demand }) => demand.smoothed]
]

/** Adds the metrics of API Priority and Fairness. */
export const addFlowMetrics = (set: MetricSet, configuration: FlowConfiguration): void => {
  const labelsOf = ({ name, schema }: FlowState) => ({
    flow_schema: name,
    priority_level: schema.spec?.priorityLevelConfiguration.name ?? ""
  })
  /** Adds a family with samples for each flow. */
  const perFlow = <Label extends string>(
    family: Family<Label>,
    samples: (flow: FlowState) => ReadonlyArray<readonly [more: object, value: number | Measured]>
  ) =>
    set.read(family, () =>
      [...configuration.flows.values()].flatMap((flow) =>
        samples(flow).map(([more, value]) => [{ ...labelsOf(flow), ...more }, value] as unknown as ReadSample<Label>)
      )
    )
  for (const [family, value] of flowGauges) perFlow(family, (flow) => [[{}, value(flow)]])
  for (const [family, value] of levelGauges) {
    set.read(family, () =>
      [...configuration.levels.values()].map((level) => [{ priority_level: level.name }, value(level)] as const)
    )
  }
  set.read(flowFamilies.fairFraction, () => [[{}, configuration.fairFraction]])
  perFlow(flowFamilies.dispatched, ({ dispatched }) => [[{}, dispatched]])
  perFlow(flowFamilies.rejected, ({ rejected }) =>
    (Object.keys(rejected) as Array<RefusalReason>)
      .filter((reason) => rejected[reason] > 0)
      .map((reason) => [{ reason }, rejected[reason]])
  )
  perFlow(flowFamilies.waits, ({ waitSeconds }) =>
    (["true", "false"] as const).map((execute) => [{ execute }, measuredBy(waitSeconds[execute])])
  )
  perFlow(flowFamilies.executions, ({ executionSeconds }) =>
    (["regular", "watch"] as const).map((type) => [{ type }, measuredBy(executionSeconds[type])])
  )
  perFlow(flowFamilies.queueLengths, ({ queueLengths }) => [[{}, measuredBy(queueLengths)]])
  perFlow(flowFamilies.seats, ({ seats }) => [[{}, measuredBy(seats)]])
}
