/**
 * How many seats a request takes. Upstream: apiserver/pkg/util/flowcontrol/request/list_work_estimator.go. Lists are served from
 * memory here, so only what they return counts; a write costs one seat, since an event is encoded once for all who watch.
 */

const OBJECTS_PER_SEAT = 100
const MAX_LIST_SEATS = 10

export interface ListWork {
  /** Objects of the kind. */
  readonly count: number
  /** `limit` of the request; 0: none. */
  readonly limit: number
  /** The request names one object. */
  readonly isSingle: boolean
  /** The most that the priority level grants; 0: as many as any. */
  readonly maxSeats: number
}

export const listSeats = ({ count, isSingle, limit, maxSeats }: ListWork): number => {
  const objects = isSingle ? 1 : limit > 0 ? Math.min(limit, count) : count
  const most = maxSeats > 0 ? Math.min(maxSeats, MAX_LIST_SEATS) : MAX_LIST_SEATS
  return Math.max(1, Math.min(most, Math.ceil(objects / OBJECTS_PER_SEAT)))
}

/** What a watch does at its start: it lists, unless it goes on from a revision. */
export const beginsWithList = (resourceVersion: string | undefined, sendInitialEvents: boolean): boolean =>
  sendInitialEvents || resourceVersion === undefined || resourceVersion === "" || resourceVersion === "0"
