import { formatDuration, parseDuration } from "@rollcall/api"

/** Takes a message down, behind `invalid configuration: `. */
export type Complain = (message: string) => void

/** Of a text that was checked to be a duration. */
export const durationMs = (text: string | undefined): number => (text === undefined ? 0 : parseDuration(text))

/** As Go prints it. */
export const goDuration = (text: string | undefined): string => formatDuration(durationMs(text))

export const inRange = (value: number, least: number, most: number): boolean => value >= least && value <= most
