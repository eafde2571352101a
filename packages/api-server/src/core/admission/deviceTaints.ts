import { type Device, formatTime, type ResourceSlice } from "@rollcall/api"
import * as Result from "effect/Result"
import type { AdmissionPlugin } from "./Admission.ts"

const withTimes = (device: Device, now: string): Device => {
  const taints = device.taints ?? []
  if (taints.every(({ timeAdded }) => timeAdded !== undefined)) return device
  return {
    ...device,
    taints: taints.map((taint) => (taint.timeAdded === undefined ? { ...taint, timeAdded: now } : taint))
  }
}

/** Notes when taints of devices were added. Upstream: pkg/apis/resource/v1/defaults.go, SetDefaults_DeviceTaint. */
export const deviceTaintTimes: AdmissionPlugin = {
  name: "device taint times",
  admits: (kind, verb, subresource) => kind === "ResourceSlice" && verb !== "delete" && subresource === undefined,
  mutate: ({ object }, { now }) => {
    const slice = object as ResourceSlice
    const devices = slice.spec?.devices ?? []
    const timed = devices.map((device) => withTimes(device, formatTime(now())))
    const isSame = timed.every((device, index) => device === devices[index])
    return Result.succeed(isSame ? slice : { ...slice, spec: { ...slice.spec, devices: timed } })
  }
}
