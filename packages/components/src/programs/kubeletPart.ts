import type { FlagValues } from "@rollcall/flags"
import { invalid, show } from "@rollcall/input"
import * as Effect from "effect/Effect"
import type { FleetPart } from "../fleet/FleetPart.ts"
import type { kubeletProgram } from "./kubelet.ts"

const COMMAND_LINE = "command line"
/** Flags that say something about a part of a fleet. */
const ofPart = ["offset", "count", "zone"]
/** Flags that select other machines. */
const ofOthers = ["nodes", "zones", "scenario"]

type Values = Pick<FlagValues<typeof kubeletProgram.flags>, "fleet" | "offset" | "count" | "zone" | "host">

/** Returns the part of a fleet that a command line asks for; undefined if it asks for none. */
export const partOfFlags = Effect.fnUntraced(function* (
  { count, fleet, host, offset, zone }: Values,
  given: ReadonlySet<string>
) {
  const refuse = (flagName: string, message: string) => Effect.fail(invalid(COMMAND_LINE, `--${flagName}`, message))
  if (!given.has("fleet")) {
    const alone = ofPart.find((name) => given.has(name))
    return alone === undefined ? undefined : yield* refuse(alone, "is for --fleet, which is not given")
  }
  const other = ofOthers.find((name) => given.has(name))
  if (other !== undefined) return yield* refuse(other, "selects other machines than --fleet: give one of them")
  if (host === "linux") return yield* refuse("fleet", "selects modelled machines, which excludes --host linux")
  if (offset < 0) return yield* refuse("offset", `found ${offset}, expected 0 or more`)
  if (count !== undefined && count < 1) return yield* refuse("count", `found ${count}, expected 1 or more`)
  if (fleet === "") return yield* refuse("fleet", `found ${show(fleet)}, expected a name`)
  const part: FleetPart = { fleet, offset, count, zone }
  return part
})
