// SPDX-License-Identifier: MIT
//
// --flight-recorder and NEAP_FLIGHT_RECORDER, which scripts and the lab take.
#ifndef NEAP_VM_CLI_FLIGHT_FLAG_H_
#define NEAP_VM_CLI_FLIGHT_FLAG_H_

#include <optional>
#include <string>

#include "neap/gc/flight_recorder.h"

namespace neap::cli {

inline constexpr const char* kFlightFlag = "--flight-recorder";
inline constexpr const char* kFlightVariable = "NEAP_FLIGHT_RECORDER";
inline constexpr const char* kFlightForm = "SECONDS[,pause=MS],FILE";

// Nothing when `text` is not of that form. Seconds and milliseconds are whole, 1 to 999,999.
std::optional<gc::FlightRecorderOptions> ParseFlight(const std::string& text);

}  // namespace neap::cli

#endif  // NEAP_VM_CLI_FLIGHT_FLAG_H_
