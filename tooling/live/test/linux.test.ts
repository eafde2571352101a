import { platform } from "node:os"
import { layer } from "@effect/vitest"
import { missingForLogind } from "@rollcall/linux/testing"
import * as Effect from "effect/Effect"
import { describe } from "vitest"
import { LinuxCluster } from "./LinuxCluster.ts"
import { pressure } from "./linux/pressure.ts"
import { registration } from "./linux/registration.ts"
import { shutdown } from "./linux/shutdown.ts"

const isLinux = platform() === "linux"
const noLogind = missingForLogind === "" ? "" : ` (skipped, missing: ${missingForLogind})`

describe
  .skipIf(!isLinux)
  .concurrent(isLinux ? "this machine as a node" : "this machine as a node: skipped, no Linux", () => {
    layer(LinuxCluster.layer, { excludeTestServices: true, timeout: 60_000 })("of a live cluster", (it) => {
      it.effect(
        "registers with its facts, runs pods and static pods, and becomes NotReady when its kubelet stops",
        () => Effect.scoped(registration),
        90_000
      )

      it.effect("is under memory pressure, ends a pod, and recovers", () => Effect.scoped(pressure), 90_000)

      it.effect.skipIf(missingForLogind !== "")(
        `holds its shutdown back over D-Bus, ends pods by priority, and takes the lock again${noLogind}`,
        () => Effect.scoped(shutdown),
        90_000
      )
    })
  })
