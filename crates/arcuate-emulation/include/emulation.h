// CUDA C++ as plain C++17, for the processor: included ahead of each kernels.cu by the file that build.rs writes for it.
// The keywords come last, because system headers use some of the words themselves.
#pragma once

#include "threads.h"

#include "vectors.h"

#include "arithmetic.h"
#include "atomics.h"
#include "registry.h"
#include "warps.h"

#include "keywords.h"
