#!/usr/bin/env node
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { layerWallClock } from "@rollcall/time"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { proofs, proofsOf } from "./proofs.ts"

const usage = [
  "pnpm live PROOF [NUMBER]",
  "pnpm live traces FOLDER",
  "pnpm live attacks [NAME…]",
  "",
  ...Object.entries(proofs).map(([name, { about }]) => `  ${name.padEnd(10)} ${about}`),
  `  traces     ${proofsOf.traces.about}`,
  `  attacks    ${proofsOf.attacks.about}`
].join("\n")

const [name = "", ...rest] = process.argv.slice(2)
const [number] = rest
const proof = proofs[name]
const program =
  name === "traces" && number !== undefined
    ? proofsOf.traces.run(number)
    : name === "attacks"
      ? proofsOf.attacks.run(rest)
      : proof === undefined
        ? Console.error(usage)
        : proof.run(number === undefined ? proof.number : Number(number))

program.pipe(Effect.scoped, Effect.provide([NodeServices.layer, layerWallClock()]), NodeRuntime.runMain)
