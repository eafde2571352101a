import * as fc from "fast-check"

// A property that fails has killed the mutant, so a smaller example is of no use.
fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true })
