import { nodeHostContract } from "@rollcall/kubelet/testing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { LinuxMachine, layerLinuxHosts } from "../../src/machine/index.ts"
import { laptop } from "./machines/laptop.ts"
import { systemOf } from "./machines/Tree.ts"

const versions = { kubeletVersion: "v1.36.2", runtimeType: "containerd", runtimeVersion: "2.1.0" }

const machine = Layer.unwrap(
  Effect.map(systemOf(laptop), (system) =>
    LinuxMachine.layer({ hostname: "n1", versions, system, resolve: () => Effect.succeed([]) })
  )
)

nodeHostContract("a Linux laptop", Layer.provide(layerLinuxHosts, machine), { isReal: true })
