// CUDA C++ as plain C++17 for the processor. The wrappers that build.rs writes include this file before each
// kernels.cu. The keywords come last, because system headers use some of these words themselves.
#pragma once

#include "threads.h"

#include "vectors.h"

#include "arithmetic.h"
#include "atomics.h"
#include "registry.h"
#include "warps.h"

#include "keywords.h"
