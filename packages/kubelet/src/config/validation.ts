import { formatDuration, parseDuration } from "@rollcall/api"

/** Adds a message to the errors, with the prefix `invalid configuration: `. */
export type AddError = (message: string) => void

/** Returns the milliseconds of a valid duration; 0 if it is not given. */
export const durationMs = (text: string | undefined): number => (text === undefined ? 0 : parseDuration(text))

/** Formats a valid duration as Go prints it: `60s` becomes `1m0s`. */
export const goDuration = (text: string | undefined): string => formatDuration(durationMs(text))

/** Whether a value is in a range. Both bounds are inclusive. */
export const inRange = (value: number, least: number, most: number): boolean => value >= least && value <= most
