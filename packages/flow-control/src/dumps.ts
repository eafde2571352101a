import { formatMicroTime } from "@rollcall/api"
import type { FlowConfiguration } from "./FlowConfiguration.ts"
import type { PriorityLevel } from "./PriorityLevel.ts"
import type { FlowQueue } from "./QueueSet.ts"
import type { Ticket } from "./Ticket.ts"

// The pages under `/debug/api_priority_and_fairness/`: comma-separated, and aligned with spaces.
// Upstream: apiserver/pkg/util/flowcontrol/apf_controller_debug.go.

const MIN_WIDTH = 8

/** Aligns columns as Go's tabwriter does: at least eight wide, one space between. */
const table = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const cells = rows.map((row) => row.map((cell, index) => (index === row.length - 1 ? cell : `${cell},`)))
  const widths: Array<number> = []
  for (const row of cells) {
    row.slice(0, -1).forEach((cell, index) => {
      widths[index] = Math.max(widths[index] ?? MIN_WIDTH, cell.length + 1)
    })
  }
  const padded = (cell: string, index: number, row: ReadonlyArray<string>) =>
    index === row.length - 1 ? cell : cell.padEnd(widths[index] as number)
  return cells.map((row) => `${row.map(padded).join("")}\n`).join("")
}

const levelsByName = ({ levels }: FlowConfiguration): ReadonlyArray<PriorityLevel> =>
  [...levels.values()].toSorted((left, right) => (left.name < right.name ? -1 : 1))

const queuesOf = ({ queues }: PriorityLevel): ReadonlyArray<FlowQueue> =>
  [...queues.all].toSorted((left, right) => left.index - right.index)

/** Returns a row for each priority level. */
export const dumpPriorityLevels = (configuration: FlowConfiguration): string =>
  table([
    [
      "PriorityLevelName",
      "ActiveQueues",
      "IsIdle",
      "IsQuiescing",
      "WaitingRequests",
      "ExecutingRequests",
      "DispatchedRequests",
      "RejectedRequests",
      "TimedoutRequests",
      "CancelledRequests"
    ],
    ...levelsByName(configuration).map((level) => [
      level.name,
      String(queuesOf(level).filter(({ waiting }) => waiting > 0).length),
      String(level.queues.isIdle),
      String(level.isQuiescing),
      String(level.queues.waiting),
      String(level.queues.executing),
      String(level.dispatched),
      String(level.rejected),
      // Upstream counts those that waited for too long as cancelled.
      "0",
      String(level.cancelled)
    ])
  ])

const seatSeconds = (value: number): string => `${value.toFixed(8)}ss`

/** Returns a row for each queue that has been used. */
export const dumpQueues = (configuration: FlowConfiguration): string =>
  table([
    [
      "PriorityLevelName",
      "Index",
      "PendingRequests",
      "ExecutingRequests",
      "SeatsInUse",
      "NextDispatchR",
      "InitialSeatsSum",
      "MaxSeatsSum",
      "TotalWorkSum"
    ],
    ...levelsByName(configuration).flatMap((level) =>
      queuesOf(level).map((queue) => [
        level.name,
        String(queue.index),
        String(queue.waiting),
        String(queue.executing),
        String(queue.executingSeats),
        seatSeconds(queue.nextDispatchR),
        String(queue.waitingSeats),
        String(queue.waitingSeats),
        seatSeconds(queue.waitingWork)
      ])
    )
  ])

/** Prints a time; Go's zero time for 0. */
const timeOf = (ms: number): string => (ms === 0 ? "0001-01-01T00:00:00Z" : formatMicroTime(ms))

const detailsOf = ({ request: { info, user } }: Ticket): ReadonlyArray<string> => [
  user.user,
  info.verb,
  info.path,
  info.namespace,
  info.name,
  info.group === "" ? info.version : `${info.group}/${info.version}`,
  info.resource,
  info.subresource
]

const DETAILS = ["UserName", "Verb", "APIPath", "Namespace", "Name", "APIVersion", "Resource", "SubResource"]

/** Returns a row for each waiting request. */
export const dumpRequests = (configuration: FlowConfiguration, isDetailed: boolean): string => {
  const rows: Array<ReadonlyArray<string>> = []
  for (const level of levelsByName(configuration)) {
    for (const queue of queuesOf(level)) {
      let indexInQueue = 0
      for (let queued = queue.first; queued !== undefined; queued = queued.next) {
        const ticket = queued as Ticket
        rows.push([
          level.name,
          ticket.flow.name,
          String(queue.index),
          String(indexInQueue++),
          ticket.distinguisher,
          timeOf(ticket.queuedMs),
          String(ticket.seats),
          // FinalSeats and AdditionalLatency: requests have only one stage here.
          "0",
          "0s",
          timeOf(ticket.startedMs),
          ...(isDetailed ? detailsOf(ticket) : [])
        ])
      }
    }
  }
  const columns = [
    "PriorityLevelName",
    "FlowSchemaName",
    "QueueIndex",
    "RequestIndexInQueue",
    "FlowDistingsher",
    "ArriveTime",
    "InitialSeats",
    "FinalSeats",
    "AdditionalLatency",
    "StartTime",
    ...(isDetailed ? DETAILS : [])
  ]
  return table([columns, ...rows])
}
