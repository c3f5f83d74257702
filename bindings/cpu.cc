// A module for any machine that knows one thing: whether this machine can run the core compiled for newer ones. Asking
// must come before loading, so the core cannot be asked; and it takes no binding library to say yes or no.
#include <Python.h>

static PyObject* supports_v3(PyObject*, PyObject*) {
#if defined(__x86_64__)
    return PyBool_FromLong(__builtin_cpu_supports("x86-64-v3") != 0);
#else
    Py_RETURN_FALSE;
#endif
}

static PyMethodDef functions[] = {
    {"supports_v3", supports_v3, METH_NOARGS, "Whether this machine has what x86-64-v3 asks for: AVX2, BMI, POPCNT."},
    {nullptr, nullptr, 0, nullptr},
};

static PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    "_cpu",
    "Which builds of the core this machine can run.",
    -1,
    functions,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
};

PyMODINIT_FUNC PyInit__cpu() { return PyModule_Create(&definition); }
