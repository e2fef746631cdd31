#include "forms.h"

namespace arcuate_emulation::ptx {
namespace {

void fence(const Instruction&, Warp&, Mask) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

Form control_form(Shape shape, Kind kind, Operation operation = nullptr)
{
    Form form;
    form.shape = shape;
    form.kind = kind;
    form.operation = operation;
    return form;
}

Forms all_forms()
{
    Forms forms;
    add_real_forms(forms);
    add_integer_forms(forms);
    add_conversion_forms(forms);
    add_memory_forms(forms);
    add_exchange_forms(forms);
    forms["bra"] = control_form(Shape::branch, Kind::branch);
    forms["bra.uni"] = control_form(Shape::branch, Kind::uniform_branch);
    forms["ret"] = forms["exit"] = control_form(Shape::nothing, Kind::end);
    forms["bar.sync"] = control_form(Shape::barrier, Kind::barrier);
    forms["membar.gl"] = forms["membar.cta"] = control_form(Shape::nothing, Kind::plain, fence);
    return forms;
}

} // namespace

const Form* find_form(const std::string& name)
{
    static const Forms forms = all_forms();
    const auto found = forms.find(name);
    return found == forms.end() ? nullptr : &found->second;
}

} // namespace arcuate_emulation::ptx
