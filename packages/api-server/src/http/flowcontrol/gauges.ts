import type { Gauge } from "../metrics/Metrics.ts"
import type { FlowConfiguration, FlowState, RefusalReason } from "./FlowConfiguration.ts"
import type { PriorityLevel } from "./PriorityLevel.ts"

/**
 * Upstream: apiserver/pkg/util/flowcontrol/metrics/metrics.go. The number of series depends on FlowSchemas and levels,
 * not on clients.
 */
const PREFIX = "apiserver_flowcontrol_"

type Labels = Readonly<Record<string, string>>

/** Returns makers of metrics with a value for each flow, or for each priority level. */
const samplers = (configuration: FlowConfiguration) => {
  const labelsOf = ({ name, schema }: FlowState): Labels => ({
    flow_schema: name,
    priority_level: schema.spec?.priorityLevelConfiguration.name ?? ""
  })
  const flows = <A>(samples: (flow: FlowState, labels: Labels) => Iterable<readonly [Labels, A]>) =>
    function* (): Generator<readonly [Labels, A]> {
      for (const flow of configuration.flows.values()) yield* samples(flow, labelsOf(flow))
    }
  const perFlow = (
    name: string,
    help: string,
    value: (flow: FlowState) => number,
    type: "gauge" | "counter" = "gauge"
  ): Gauge => ({
    name: PREFIX + name,
    help,
    type,
    values: flows((flow, labels) => [[labels, value(flow)]])
  })
  const perLevel = (name: string, help: string, value: (level: PriorityLevel) => number): Gauge => ({
    name: PREFIX + name,
    help,
    values: () =>
      [...configuration.levels.values()].map((level) => [{ priority_level: level.name }, value(level)] as const)
  })
  return { flows, perFlow, perLevel }
}

type Samplers = ReturnType<typeof samplers>

const requestGauges = ({ flows, perFlow }: Samplers): ReadonlyArray<Gauge> => [
  {
    name: `${PREFIX}rejected_requests_total`,
    help: "Number of requests rejected by API Priority and Fairness subsystem",
    type: "counter",
    values: flows((flow, labels) =>
      (Object.keys(flow.rejected) as Array<RefusalReason>)
        .filter((reason) => flow.rejected[reason] > 0)
        .map((reason) => [{ ...labels, reason }, flow.rejected[reason]] as const)
    )
  },
  perFlow(
    "dispatched_requests_total",
    "Number of requests executed by API Priority and Fairness subsystem",
    ({ dispatched }) => dispatched,
    "counter"
  ),
  perFlow(
    "current_inqueue_requests",
    "Number of requests currently pending in queues of the API Priority and Fairness subsystem",
    ({ waiting }) => waiting
  ),
  perFlow(
    "current_inqueue_seats",
    "Number of seats currently pending in queues of the API Priority and Fairness subsystem",
    ({ waitingSeats }) => waitingSeats
  ),
  perFlow(
    "current_executing_requests",
    "Number of requests in initial (for a WATCH) or any (for a non-WATCH) execution stage in the API Priority and Fairness subsystem",
    ({ executing }) => executing
  ),
  perFlow(
    "current_executing_seats",
    "Concurrency (number of seats) occupied by the currently executing (initial stage for a WATCH, any stage otherwise) requests in the API Priority and Fairness subsystem",
    ({ executingSeats }) => executingSeats
  )
]

const levelGauges = ({ perLevel }: Samplers): ReadonlyArray<Gauge> => [
  perLevel(
    "nominal_limit_seats",
    "Nominal number of execution seats configured for each priority level",
    ({ limits }) => limits.nominal
  ),
  perLevel(
    "lower_limit_seats",
    "Configured lower bound on number of execution seats available to each priority level",
    ({ limits }) => limits.min
  ),
  perLevel(
    "upper_limit_seats",
    "Configured upper bound on number of execution seats available to each priority level",
    ({ limits }) => limits.max
  ),
  perLevel(
    "current_limit_seats",
    "current derived number of execution seats available to each priority level",
    ({ currentLimit }) => currentLimit
  ),
  perLevel(
    "demand_seats_high_watermark",
    "High watermark, over last adjustment period, of demand_seats",
    ({ demand }) => demand.highWatermark
  ),
  perLevel(
    "demand_seats_average",
    "Time-weighted average, over last adjustment period, of demand_seats",
    ({ demand }) => demand.average
  ),
  perLevel(
    "demand_seats_stdev",
    "Time-weighted standard deviation, over last adjustment period, of demand_seats",
    ({ demand }) => demand.deviation
  ),
  perLevel("demand_seats_smoothed", "Smoothed seat demands", ({ demand }) => demand.smoothed)
]

const durationGauges = ({ flows }: Samplers): ReadonlyArray<Gauge> => [
  {
    name: `${PREFIX}request_wait_duration_seconds`,
    help: "Length of time a request spent waiting in its queue",
    type: "histogram",
    values: flows(function* ({ waitSeconds }, labels) {
      for (const execute of ["true", "false"] as const) {
        yield [{ ...labels, execute }, waitSeconds[execute].state()] as const
      }
    })
  },
  {
    name: `${PREFIX}request_execution_seconds`,
    help: "Duration of initial stage (for a WATCH) or any (for a non-WATCH) stage of request execution in the API Priority and Fairness subsystem",
    type: "histogram",
    values: flows(function* ({ executionSeconds }, labels) {
      for (const type of ["regular", "watch"] as const) {
        yield [{ ...labels, type }, executionSeconds[type].state()] as const
      }
    })
  }
]

/** Returns the metrics of API Priority and Fairness. */
export const flowControlGauges = (configuration: FlowConfiguration): ReadonlyArray<Gauge> => {
  const sampler = samplers(configuration)
  return [
    ...requestGauges(sampler),
    ...levelGauges(sampler),
    {
      name: `${PREFIX}seat_fair_frac`,
      help: "Fair fraction of server's concurrency to allocate to each priority level that can use it",
      values: () => [[{}, configuration.fairFraction]]
    },
    ...durationGauges(sampler)
  ]
}
