import { parseDuration } from "@rollcall/api"

/** Whether a text is a Go duration that is not negative, such as `90s`. */
export const isDurationText = (text: string): boolean => parseDuration(text) >= 0

/** Whether a text is a Go duration, such as `-2m`. */
export const isSignedDurationText = (text: string): boolean => !Number.isNaN(parseDuration(text))
