import * as Effect from "effect/Effect"
import { EventRecorder } from "../EventRecorder.ts"

/** The recorder of a controller that records no Events. */
const discardingRecorder: EventRecorder = {
  event: () => {},
  restart: () => {},
  waiting: () => 0,
  close: () => {}
}

/** Makes the recorder of a controller; one that discards its events when the controller records none. */
export const recorderOf = (name: string, records: boolean | string | undefined) =>
  records === undefined || records === false
    ? Effect.succeed(discardingRecorder)
    : EventRecorder.make({ component: records === true ? name : records })
