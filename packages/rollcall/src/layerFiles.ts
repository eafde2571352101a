import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import { layerBoundedFiles } from "@rollcall/files"
import * as Layer from "effect/Layer"

/** The files of this machine. */
export const layerFiles = Layer.merge(Layer.provide(layerBoundedFiles, NodeFileSystem.layer), NodePath.layer)
