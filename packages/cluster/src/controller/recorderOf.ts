import * as Effect from "effect/Effect"
import { EventRecorder } from "../EventRecorder.ts"

/** Of a controller that records nothing. */
const silent: EventRecorder = { event: () => {}, waiting: () => 0, close: () => {} }

/** A recorder for a controller, if it records. */
export const recorderOf = (name: string, records: boolean | string | undefined) =>
  records === undefined || records === false
    ? Effect.succeed(silent)
    : EventRecorder.make({ component: records === true ? name : records })
