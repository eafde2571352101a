import type { PriorityLevelConfigurationSpec } from "@rollcall/api"
import { allocate, type Claim } from "./allocation.ts"

/**
 * The seats of priority levels: their shares of the server's seats, the seats they may lend and borrow, and their
 * present seats. Upstream: finishQueueSetReconfigsLocked and updateBorrowingLocked of
 * apiserver/pkg/util/flowcontrol/apf_controller.go.
 */
export interface SeatLimits {
  /** Its share. */
  readonly nominal: number
  /** Its seats when it has lent the maximum. */
  readonly min: number
  /** Its seats when it has borrowed the maximum. */
  readonly max: number
}

interface Shares {
  readonly shares: number
  readonly lendablePercent: number
  /** Undefined for unlimited. */
  readonly borrowingLimitPercent: number | undefined
}

const sharesOf = ({ exempt, limited, type }: PriorityLevelConfigurationSpec): Shares => {
  if (type === "Exempt") {
    return {
      shares: exempt?.nominalConcurrencyShares ?? 0,
      lendablePercent: exempt?.lendablePercent ?? 0,
      borrowingLimitPercent: undefined
    }
  }
  return {
    shares: limited?.nominalConcurrencyShares ?? 0,
    lendablePercent: limited?.lendablePercent ?? 0,
    borrowingLimitPercent: limited?.borrowingLimitPercent
  }
}

/** Returns the limits of levels with these specs. Shares are rounded up, so the sum may slightly exceed `total`. */
export const seatLimits = (
  total: number,
  specs: ReadonlyArray<PriorityLevelConfigurationSpec>
): ReadonlyArray<SeatLimits> => {
  const all = specs.map(sharesOf)
  const sum = all.reduce((before, { shares }) => before + shares, 0)
  return all.map(({ borrowingLimitPercent, lendablePercent, shares }) => {
    const nominal = sum === 0 ? 0 : Math.ceil((total * shares) / sum)
    const lendable = Math.round((nominal * lendablePercent) / 100)
    const borrowing = borrowingLimitPercent === undefined ? total : Math.round((nominal * borrowingLimitPercent) / 100)
    return { nominal, min: nominal - lendable, max: nominal + borrowing }
  })
}

/** The fraction of its level's seats that one request may occupy. Upstream: priorityLevelMaxSeatsPercent. */
const MAX_REQUEST_SHARE = 0.15

/** Returns the maximum seats of one request in a level with queues; 0, for unlimited, in one without. */
export const maxSeatsOf = (nominal: number, handSize: number | undefined): number =>
  handSize === undefined
    ? 0
    : Math.max(1, Math.min(Math.ceil(nominal * MAX_REQUEST_SHARE), Math.floor(nominal / handSize)))

/** The demand of a level in the last period; see `SeatDemand`. */
export interface Demand {
  readonly isExempt: boolean
  readonly limits: SeatLimits
  readonly highWatermark: number
  readonly smoothed: number
  /** The present limit. */
  readonly current: number
}

/** The division of the seats for the next period. */
export interface Borrowed {
  /** In the order of the demands. */
  readonly current: ReadonlyArray<number>
  readonly fairFraction: number
}

/** Returns the seats that a level keeps because it used them in the last period. */
const floorOf = ({ highWatermark, isExempt, limits }: Demand): number =>
  Math.max(limits.min, isExempt ? highWatermark : Math.min(limits.nominal, highWatermark))

/** Computes the limits of the next period: levels borrow the seats that others do not use. */
export const borrow = (demands: ReadonlyArray<Demand>): Borrowed => {
  const sum = (values: ReadonlyArray<number>) => values.reduce((before, value) => before + value, 0)
  const floors = demands.map(floorOf)
  const limited = demands.filter(({ isExempt }) => !isExempt)
  const nominalSum = sum(demands.map(({ limits }) => limits.nominal))
  const exemptSum = sum(floors.filter((_, index) => demands[index]?.isExempt))
  const remaining = nominalSum - exemptSum
  const minSum = sum(limited.map(({ limits }) => limits.min))
  const floorSum = sum(limited.map(floorOf))
  /** Returns the seats of all levels: `seatsOf` those with a limit; exempt ones keep their floor. */
  const fill = (seatsOf: (demand: Demand, index: number) => number): ReadonlyArray<number> => {
    let index = 0
    return demands.map((demand, place) =>
      demand.isExempt ? (floors[place] as number) : Math.round(seatsOf(demand, index++))
    )
  }
  if (remaining <= minSum) return { current: fill(({ limits }) => limits.min), fairFraction: 0 }
  if (remaining <= floorSum) {
    const fraction = (remaining - minSum) / (floorSum - minSum)
    const current = fill((demand) => demand.limits.min + (floorOf(demand) - demand.limits.min) * fraction)
    return { current, fairFraction: 0 }
  }
  const claims = limited.map((demand): Claim => {
    const lowerBound = floorOf(demand)
    return { lowerBound, upperBound: demand.limits.max, target: Math.max(lowerBound, demand.smoothed) }
  })
  const found = allocate(nominalSum, claims)
  if (found === undefined) return { current: fill(({ current }) => current), fairFraction: 0 }
  return { current: fill((_, index) => found.seats[index] as number), fairFraction: found.fairFraction }
}

const OBJECTS_PER_SEAT = 100
const MAX_LIST_SEATS = 10

/** What determines the seats of a list. */
export interface ListWork {
  /** The number of objects of the kind. */
  readonly count: number
  /** The `limit` of the request; 0 for none. */
  readonly limit: number
  /** Whether the request names one object. */
  readonly isSingle: boolean
  /** The maximum of the priority level; 0 for unlimited. */
  readonly maxSeats: number
}

/**
 * Returns the number of seats of a list. Upstream: apiserver/pkg/util/flowcontrol/request/list_work_estimator.go. Lists
 * are served from memory here, so only the returned objects count. All other requests have one seat, also writes: an
 * event is encoded once for all watchers.
 */
export const listSeats = ({ count, isSingle, limit, maxSeats }: ListWork): number => {
  const objects = isSingle ? 1 : limit > 0 ? Math.min(limit, count) : count
  const most = maxSeats > 0 ? Math.min(maxSeats, MAX_LIST_SEATS) : MAX_LIST_SEATS
  return Math.max(1, Math.min(most, Math.ceil(objects / OBJECTS_PER_SEAT)))
}

/** Whether a watch starts with a list, which it does unless it resumes from a revision. */
export const startsWithList = (resourceVersion: string | undefined, sendInitialEvents: boolean): boolean =>
  sendInitialEvents || resourceVersion === undefined || resourceVersion === "" || resourceVersion === "0"
