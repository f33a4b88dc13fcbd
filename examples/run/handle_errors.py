#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Errors have the codes of the command line, and a class that says whose fault they are."""
import tahoma

case = {"kind": "gemm", "machine": "trainium2_one_chip", "mode": "timing", "workload": {"m": 128, "n": 512, "k": 256}}

try:
    tahoma.run(case, workload__mm=256)
except tahoma.ConfigurationError as error:
    print("code:", error.code)
    print("place:", error.place)
    print("text:", error.text)
    print("exit status of the command:", error.status)

# A run that ended, and whose check failed, is there: timing mode computes no values that a reference could check.
try:
    tahoma.run(case, require_golden=True)
except tahoma.CheckFailed as error:
    print(error)
    print("its time:", error.run.time_us, "us")

# A search goes on after a machine that cannot work.
for shards in (1, 5, 8):
    try:
        print(shards, "cores:", tahoma.run(case, set={"workload.shard": {"m": shards}}).time_us, "us")
    except tahoma.Error as error:
        print(shards, "cores:", error.code, error.text)
