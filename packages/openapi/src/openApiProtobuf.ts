import type { OpenApiVersion } from "./Schemas.ts"

const protobufType = (version: OpenApiVersion) => {
  const spec = `application/com.github.proto-openapi.spec.${version}`
  return { requested: `${spec}@v1.0+protobuf`, answered: `${spec}.v1.0+protobuf` }
}

/** The media types with which clients request documents of each version in protobuf, and those of the answers. */
export const openApiProtobuf = { v2: protobufType("v2"), v3: protobufType("v3") }
