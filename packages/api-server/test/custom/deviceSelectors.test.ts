import { assert, describe, it } from "@effect/vitest"
import type { DeviceClass } from "@rollcall/api"
import { fieldErrorText } from "@rollcall/api/validation"
import { runAllSteps } from "@rollcall/time"
import { kindTable } from "../../src/core/registry/table.ts"
import { customResources } from "../../src/custom/index.ts"

const { DeviceClass: definition } = customResources.define(kindTable)

const faults = (expression: string): ReadonlyArray<string> => {
  const object: DeviceClass = {
    apiVersion: "resource.k8s.io/v1",
    kind: "DeviceClass",
    metadata: { name: "a" },
    spec: { selectors: [{ cel: { expression } }] }
  }
  return runAllSteps(definition.validateInSteps?.(object, undefined, undefined) ?? []).map(fieldErrorText)
}

// As kube-apiserver v1.36.2 answers.
describe("selectors of devices", () => {
  it("read the driver, attributes and capacity of a device", () => {
    assert.deepStrictEqual(faults('device.driver == "x" && device.allowMultipleAllocations'), [])
    const memory = 'device.capacity["a.com"].memory.compareTo(quantity("1Gi")) > 0'
    assert.deepStrictEqual(faults(`device.attributes["a.com"].model == "x" && ${memory}`), [])
    assert.deepStrictEqual(faults('device.attributes["x"].y.matches("a+") && device.driver.startsWith("z")'), [])
  })

  it("are of type bool, and not too costly", () => {
    const at = "spec.selectors[0].cel.expression"
    assert.deepStrictEqual(faults("1"), [
      `${at}: Invalid value: "1": must evaluate to bool or the unknown type, not int`
    ])
    assert.deepStrictEqual(faults("device.foo"), [
      `${at}: Invalid value: "device.foo": compilation failed: ERROR: <input>:1:7: undefined field 'foo'\n | device.foo\n | ......^`
    ])
    const all = ["x", "y", "z", "w"].reduceRight(
      (inner, name) => `device.attributes.all(${name}, ${inner})`,
      "w.size() > 0"
    )
    assert.deepStrictEqual(faults(all), [`${at}: Forbidden: too complex, exceeds cost limit`])
  })
})
