import type { Steps } from "@rollcall/time"
import { STEP_ENTRIES } from "./FieldSetBuilder.ts"
import type { PathElement } from "./pathElement.ts"
import { ElementError, elementOf, type ListSchema } from "./schema.ts"
import { Untypable } from "./Untypable.ts"

/** Does the work of `byElement` for a long list. */
export const byElementInSteps = function* (
  items: ReadonlyArray<unknown>,
  schema: ListSchema
): Steps<ReturnType<typeof byElement>> {
  const found: ReturnType<typeof byElement> = new Map()
  for (let at = 0; at < items.length; at += STEP_ENTRIES) {
    byElement(items.slice(at, at + STEP_ENTRIES), schema, found)
    yield
  }
  return found
}

/** Groups list items by their path elements, and adds them to `found`. Throws for an item that has no path element. */
export const byElement = (
  items: ReadonlyArray<unknown>,
  schema: ListSchema,
  found = new Map<PathElement, Array<unknown>>()
): Map<PathElement, Array<unknown>> => {
  for (const item of items) {
    const element = elementOf(schema, item)
    if (element instanceof ElementError) throw new Untypable(element.message)
    const others = found.get(element)
    if (others === undefined) found.set(element, [item])
    else others.push(item)
  }
  return found
}
