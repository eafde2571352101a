import type { KubeObject } from "@rollcall/api"
import { customScalePrinter } from "../printing/customResource.ts"
import { defaultTable, type Printer } from "../printing/Printer.ts"
import { scales } from "../printing/workloads.ts"
import { autoscalersView } from "./autoscalersView.ts"
import { eventsView } from "./eventsView.ts"
import { isCustom, type KindDefinition } from "./KindDefinition.ts"
import { kindTable } from "./table.ts"

/** Returns the printer of a built-in kind. Custom resources use `customResourcePrinter`. */
export const printerOf = ({ group, kind }: { readonly group: string; readonly kind: string }): Printer => {
  if (group === "autoscaling" && kind === "Scale") return scales
  const served = [...Object.values(kindTable), eventsView, autoscalersView]
  return served.find(({ resource }) => resource.kind === kind && resource.group === group)?.printer ?? defaultTable
}

/** Returns the printer of a body: a subresource may answer with a kind other than that of its object. */
export const printerOfBody = (definition: KindDefinition, body: unknown): Printer => {
  const { apiVersion = "", kind } = body as Partial<KubeObject>
  const isScale = kind === "Scale" && apiVersion.startsWith("autoscaling/")
  if (!isScale || definition.resource.kind === "Scale") return definition.printer
  return isCustom(definition) ? customScalePrinter : scales
}
