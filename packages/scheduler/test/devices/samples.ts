import type { Device, DeviceClass, Pod, ResourceClaim, ResourceSlice } from "@rollcall/api"
import { podNamed } from "../withScheduler.ts"

export const DRIVER = "gpu.example.com"

export const deviceClass = (name: string, expression?: string, more: object = {}): DeviceClass => ({
  apiVersion: "resource.k8s.io/v1",
  kind: "DeviceClass",
  metadata: { name },
  spec: { ...(expression === undefined ? {} : { selectors: [{ cel: { expression } }] }), ...more }
})

export const slice = (
  node: string | undefined,
  devices: ReadonlyArray<Device>,
  more: Partial<ResourceSlice["spec"]> & { readonly name?: string } = {}
): ResourceSlice => {
  const { name = `${node ?? "shared"}-slice`, ...spec } = more
  return {
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceSlice",
    metadata: { name },
    spec: {
      driver: DRIVER,
      pool: { name: node ?? "shared", generation: 1, resourceSliceCount: 1 },
      ...(node === undefined ? {} : { nodeName: node }),
      ...(devices.length === 0 ? {} : { devices }),
      ...spec
    }
  }
}

export const gpus = (count: number, more: Partial<Device> = {}): ReadonlyArray<Device> =>
  Array.from({ length: count }, (_, index) => ({ name: `gpu-${index}`, ...more }))

type Devices = NonNullable<ResourceClaim["spec"]["devices"]>
type Request = NonNullable<Devices["requests"]>[number]

export const exactly = (name: string, count = 1, more: Partial<NonNullable<Request["exactly"]>> = {}): Request => ({
  name,
  exactly: { deviceClassName: "gpu", allocationMode: "ExactCount", count, ...more }
})

export const allOf = (name: string): Request => ({ name, exactly: { deviceClassName: "gpu", allocationMode: "All" } })

export const claim = (
  name: string,
  requests: ReadonlyArray<Request>,
  more: Partial<Devices> = {},
  status?: ResourceClaim["status"]
): ResourceClaim => ({
  apiVersion: "resource.k8s.io/v1",
  kind: "ResourceClaim",
  metadata: { name, namespace: "default", uid: `uid-${name}` },
  spec: { devices: { requests, ...more } },
  ...(status === undefined ? {} : { status })
})

/** A pod that uses claims by their names. */
export const podWith = (name: string, ...claims: ReadonlyArray<string>): Pod =>
  podNamed(name, "1", {
    resourceClaims: claims.map((resourceClaimName, index) => ({ name: `claim-${index}`, resourceClaimName }))
  })
