import type { Device } from "@rollcall/api"
import { compileDeviceSelector, type DeviceSelectorProgram, deviceValue, selectsDevice } from "@rollcall/cel"

type DeviceValue = ReturnType<typeof deviceValue>

/** The most expressions that are kept compiled; the one used least recently is dropped first. */
const MAX_COMPILED = 100

const programOf = (expression: string): DeviceSelectorProgram | string => {
  const compiled = compileDeviceSelector(expression)
  return "message" in compiled ? compiled.message : compiled
}

/** Evaluates selectors: keeps expressions compiled, and the values of devices as long as these exist. */
export class Selectors {
  private readonly compiled = new Map<string, DeviceSelectorProgram | string>()
  private readonly values = new WeakMap<Device, DeviceValue>()

  /** Returns whether the expression holds for the device of the driver, or the error, which begins with its phase. */
  matches(expression: string, device: Device, driver: string): boolean | string {
    const program = this.compile(expression)
    if (typeof program === "string") return `CEL compile error: ${program}`
    const value = this.values.get(device) ?? deviceValue(device, driver)
    this.values.set(device, value)
    // A value that is a text is the problem of an attribute.
    const answer = typeof value === "string" ? value : selectsDevice(program, value)
    return typeof answer === "string" ? `CEL runtime error: ${answer}` : answer
  }

  private compile(expression: string): DeviceSelectorProgram | string {
    const program = this.compiled.get(expression) ?? programOf(expression)
    this.compiled.delete(expression)
    this.compiled.set(expression, program)
    if (this.compiled.size > MAX_COMPILED) {
      for (const oldest of this.compiled.keys()) {
        this.compiled.delete(oldest)
        break
      }
    }
    return program
  }
}
