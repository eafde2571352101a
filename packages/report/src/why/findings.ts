import { blind, clocks, leader } from "./controlPlane.ts"
import { delay, moves } from "./evictions.ts"
import type { Facts, Finder } from "./Facts.ts"
import { deletedNodes, outrun } from "./machines.ts"
import { classWithoutNumber, cutOff, tooLate, walled } from "./mistakes.ts"
import { pressed, rejected } from "./nodes.ts"
import { forgiven, queued, stuck } from "./returns.ts"
import { hung } from "./runtime.ts"
import { readiness, silence } from "./silence.ts"
import { everyZone, fullDisruption, normalZone, partialDisruption } from "./zones.ts"

/** In the order in which they are told: what was seen, what was decided, what came of it. */
const finders: ReadonlyArray<Finder> = [
  silence,
  blind,
  clocks,
  readiness,
  hung,
  fullDisruption,
  partialDisruption,
  everyZone,
  normalZone,
  deletedNodes,
  delay,
  moves,
  forgiven,
  queued,
  stuck,
  leader,
  pressed,
  rejected,
  tooLate,
  classWithoutNumber,
  walled,
  outrun,
  cutOff
]

/** Why a run went as it did: each with the rule, its number, and what would have changed it. */
export const findings = (facts: Facts): ReadonlyArray<string> => finders.flatMap((find) => find(facts))
