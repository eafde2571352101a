import { parseTime } from "@rollcall/api"

/** Whether two wire times are the same instant. Texts of one server are equal when their instants are, so parsing is rare. */
export const sameInstant = (left: string | undefined, right: string | undefined): boolean =>
  left === right || (left !== undefined && right !== undefined && parseTime(left) === parseTime(right))

/** Whether a wire time lies before another; a missing time is neither before nor after. */
export const isBefore = (left: string | undefined, right: string | undefined): boolean => {
  if (left === undefined || right === undefined || left === right) return false
  // Two texts of one length in UTC have the same digits at the same places: compared as text they are in order of time.
  if (left.length === right.length && left.endsWith("Z") && right.endsWith("Z")) return left < right
  return parseTime(left) < parseTime(right)
}
