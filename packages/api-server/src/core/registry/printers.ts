import type { KubeObject } from "@rollcall/api"
import { customScalePrinter, type Printer, printerOf } from "@rollcall/printers"
import { isCustom, type KindDefinition } from "./KindDefinition.ts"

/** Returns the printer of a body: a subresource may answer with a kind other than that of its object. */
export const printerOfBody = (definition: KindDefinition, body: unknown): Printer => {
  const { apiVersion = "", kind } = body as Partial<KubeObject>
  const isScale = kind === "Scale" && apiVersion.startsWith("autoscaling/")
  if (!isScale || definition.resource.kind === "Scale") return definition.printer
  return isCustom(definition) ? customScalePrinter : printerOf({ group: "autoscaling", kind: "Scale" })
}
