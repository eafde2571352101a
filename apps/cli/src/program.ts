import "effect/schema/SchemaJITCompiler/enable"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { layerBoundedFiles } from "@rollcall/files"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { exitCodeOf, rollcall } from "./rollcall.ts"

const args = process.argv.slice(2)

rollcall(args).pipe(
  Effect.provide(Layer.provideMerge(layerBoundedFiles, NodeServices.layer)),
  NodeRuntime.runMain({ disableErrorReporting: true, teardown: (exit, onExit) => onExit(exitCodeOf(exit, args[0])) })
)
