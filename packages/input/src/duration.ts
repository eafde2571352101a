import { parseDuration } from "@rollcall/api"

/** Whether the text is one of Go's durations and not negative. */
export const isDurationText = (text: string): boolean => parseDuration(text) >= 0

export const isSignedDurationText = (text: string): boolean => !Number.isNaN(parseDuration(text))
